import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type * as cases from './cases.js';
import type { Slice, Timed } from './measure.js';

type Cases = typeof cases;
type Input<Name extends keyof Cases> = Parameters<Cases[Name]>[0];

const program = fileURLToPath(new URL('child.ts', import.meta.url));

function start(name: string, input: unknown): ChildProcess {
  return fork(program, [name, JSON.stringify(input), ...process.argv.slice(2)], {
    // Where tsx is found.
    cwd: import.meta.dirname,
    execArgv: ['--expose-gc', '--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next message of a process. */
async function message<T>(name: string, child: ChildProcess): Promise<T> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${name} ended with ${String(code)}`);
  });
  try {
    return ((await Promise.race([once(child, 'message', { signal }), ended])) as [T])[0];
  } finally {
    ended.catch(() => undefined);
    over.abort();
  }
}

/** Runs a case in a process of its own, and gives what it found. */
export async function inProcess<Name extends keyof Cases>(
  name: Name,
  input: Input<Name>,
): Promise<Awaited<ReturnType<Cases[Name]>>> {
  const child = start(name, input);
  try {
    return await message<Awaited<ReturnType<Cases[Name]>>>(
      `${name} ${JSON.stringify(input)}`,
      child,
    );
  } finally {
    child.kill('SIGKILL');
  }
}

/** Starts a case that measures in slices, warm, in a process of its own. */
export async function started<Name extends 'request' | 'port'>(
  name: Name,
  input: Input<Name>,
): Promise<{ readonly ready: number; readonly slice: Slice; readonly stop: () => void }> {
  const child = start(name, input);
  const what = `${name} ${JSON.stringify(input)}`;
  const ready = await message<number>(what, child);
  return {
    ready,
    slice: (ms) => {
      child.send(ms);
      return message<Timed>(what, child);
    },
    stop: () => child.kill('SIGKILL'),
  };
}
