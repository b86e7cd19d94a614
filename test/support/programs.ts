import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a program printed, and how it ended: `code` is null when a signal ended it. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program to its end; `onStart` gets the process, to send it signals. Rejects with all it printed after `timeout` ms. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string | undefined>;
    timeout?: number;
    onStart?: (child: ChildProcess) => void;
  } = {},
): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, CI: '1', ...options.env };
  const { cwd, timeout = 250_000 } = options;
  // A group of its own, so that a timeout ends its children too.
  const own = { cwd, env, detached: true };
  const child = spawn(command, args, { ...own, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  options.onStart?.(child);
  let isLate = false;
  const timer = setTimeout(() => (isLate = process.kill(-child.pid!, 'SIGKILL')), timeout);
  const ended = Promise.all([text(child.stdout), text(child.stderr), closed]);
  const [out, err, [code]] = await ended.finally(() => clearTimeout(timer));
  if (isLate) throw new Error(`${command} ${args.join(' ')} took over ${timeout} ms\n${out}${err}`);
  return { code, out, err };
}
