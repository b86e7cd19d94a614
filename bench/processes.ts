import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;

/** A process of its own that runs functions of a module, one call at a time. */
export function startProcess(module: URL, execArgv = ['--expose-gc', '--import', 'tsx']) {
  const child = fork(`${here}/child.ts`, [fileURLToPath(module)], {
    // Where tsx is found.
    cwd: here,
    execArgv,
    // What a library prints is no result.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process of ${fileURLToPath(module)} ended with ${String(code)}.`);
  });
  ended.catch(() => undefined);
  return {
    async call<Result>(name: string, ...inputs: unknown[]): Promise<Result> {
      child.send({ name, inputs });
      const [{ result }] = await Promise.race([once(child, 'message'), ended]);
      return result;
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Ends it, and what it started. */
    stop: () => child.connected && child.disconnect(),
  };
}

/** Does the jobs of all groups by the function `work` of a module, in a process a core. Tells each group that is done. */
export async function inPool<Job, Result>(
  module: URL,
  groups: ReadonlyMap<string, readonly Job[]>,
  done: (group: string, results: readonly Result[]) => void,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const found = new Map([...groups.keys()].map((group) => [group, [] as Result[]]));
  const queue = [...groups]
    .flatMap(([group, jobs]) => jobs.map((job) => ({ group, job })))
    .values();
  const drain = async () => {
    const worker = startProcess(module);
    for (const { group, job } of queue) {
      const results = found.get(group)!;
      results.push(await worker.call<Result>('work', job));
      if (results.length === groups.get(group)!.length) done(group, results);
    }
    worker.stop();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, drain));
  return found;
}
