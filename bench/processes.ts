import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;

/** A function that a module exports. */
type Exported<Module, Name extends keyof Module> = Extract<
  Module[Name],
  (...inputs: never[]) => unknown
>;

/** A process of its own that runs functions of a module, one call at a time. */
export function startProcess<Module extends object>(module: URL) {
  const child = fork(`${here}/child.ts`, [fileURLToPath(module)], {
    // Where tsx is found.
    cwd: here,
    execArgv: ['--expose-gc', '--import', 'tsx'],
    // What a library prints is no result.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process of ${fileURLToPath(module)} ended with ${String(code)}.`);
  });
  ended.catch(() => undefined);
  return {
    async call<Name extends keyof Module & string>(
      name: Name,
      ...inputs: Parameters<Exported<Module, Name>>
    ): Promise<Awaited<ReturnType<Exported<Module, Name>>>> {
      child.send({ name, inputs });
      const [{ result }] = await Promise.race([once(child, 'message'), ended]);
      return result;
    },
    stop: () => child.kill('SIGKILL'),
  };
}

/** One call in a process of its own. */
export function inProcess<Module extends object>(module: URL) {
  return async <Name extends keyof Module & string>(
    name: Name,
    ...inputs: Parameters<Exported<Module, Name>>
  ): Promise<Awaited<ReturnType<Exported<Module, Name>>>> => {
    const { call, stop } = startProcess<Module>(module);
    return call(name, ...inputs).finally(stop);
  };
}

/** Does the jobs of all groups by the function `work` of a module, in a process a core. Tells each group that is done. */
export async function inPool<Job, Result>(
  module: URL,
  groups: ReadonlyMap<string, readonly Job[]>,
  done: (group: string, results: readonly Result[]) => void,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const found = new Map<string, Result[]>();
  const queue = [...groups]
    .flatMap(([group, jobs]) => jobs.map((job) => [group, job] as const))
    .values();
  const drain = async () => {
    const worker = startProcess<{ work: (job: Job) => unknown }>(module);
    for (const [group, job] of queue) {
      const results = found.get(group) ?? [];
      found.set(group, results);
      results.push((await worker.call('work', job)) as Result);
      if (results.length === groups.get(group)!.length) done(group, results);
    }
    worker.stop();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, drain));
  return found;
}
