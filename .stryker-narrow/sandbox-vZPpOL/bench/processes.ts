// @ts-nocheck
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;

type Functions = Record<string, (...inputs: never[]) => unknown>;

/** Calls a function of a module in another process. */
export type Call<Module extends Functions> = <Name extends string & keyof Module>(
  name: Name,
  ...inputs: Parameters<Module[Name]>
) => Promise<Awaited<ReturnType<Module[Name]>>>;

/** A process of its own that runs functions of a module, one call at a time. */
export function startProcess<Module extends Functions>(module: URL) {
  const child = fork(`${here}/child.ts`, [fileURLToPath(module)], {
    // Where tsx is found.
    cwd: here,
    // A client warns of deprecated methods, and Node of SQLite.
    execArgv: ['--expose-gc', '--no-warnings', '--import', 'tsx'],
    // What a library prints is no result.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process of ${fileURLToPath(module)} ended with ${String(code)}.`);
  });
  ended.catch(() => undefined);
  const call: Call<Module> = async (name, ...inputs) => {
    child.send({ name, inputs });
    const [{ result }] = await Promise.race([once(child, 'message'), ended]);
    return result;
  };
  return {
    call,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Ends it, and what it started. */
    stop: () => child.connected && child.disconnect(),
  };
}

/** Does each job by the function `work` of a module, in a process a core. Tells what is done. */
export async function inPool<Job, Result>(
  module: URL,
  jobs: ReadonlyMap<string, Job>,
  done: (name: string, result: Result) => void,
): Promise<ReadonlyMap<string, Result>> {
  const found = new Map<string, Result>();
  const queue = jobs.entries();
  const drain = async () => {
    const worker = startProcess<{ work(job: Job): Promise<Result> }>(module);
    for (const [name, job] of queue) {
      const result = await worker.call('work', job);
      found.set(name, result);
      done(name, result);
    }
    worker.stop();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, drain));
  return found;
}
