import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Does the jobs in processes that run `worker`, in any order; resolves to their results in the order of the jobs. */
export async function inPool<Job extends object, Result extends object>(
  worker: URL,
  jobs: readonly Job[],
  size: number,
  done: (job: Job, result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = jobs.entries();
  await Promise.all(
    Array.from({ length: Math.min(size, jobs.length) }, () => drain(worker, queue, results, done)),
  );
  return results;
}

function drain<Job extends object, Result extends object>(
  program: URL,
  queue: Iterator<[number, Job]>,
  results: Result[],
  done: (job: Job, result: Result) => void,
): Promise<void> {
  const worker = fork(fileURLToPath(program), process.argv.slice(2));
  let current: [number, Job] | undefined;
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Result | 'ready') => {
      if (current && message !== 'ready') {
        results[current[0]] = message;
        done(current[1], message);
      }
      const next = queue.next();
      current = next.done ? undefined : next.value;
      if (current) worker.send(current[1]);
      else worker.disconnect();
    });
    worker.on('exit', (code) =>
      code === 0 && !current
        ? resolve()
        : reject(new Error(`a process of the bench ended with ${code}`)),
    );
  });
}
