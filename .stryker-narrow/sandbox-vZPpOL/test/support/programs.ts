// @ts-nocheck
import { spawn, type ChildProcess } from 'node:child_process';

/** What a program printed, and how it ended: `code` is null when a signal ended it. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program to its end; `onStart` gets the process, to send it signals. Rejects with all it printed after `timeout` ms. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string | undefined>;
    timeout?: number;
    onStart?: (child: ChildProcess) => void;
  } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, CI: '1', ...options.env };
    const { cwd, timeout = 250_000 } = options;
    // A group of its own, so that a timeout ends its children too.
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let [out, err] = ['', ''];
    const timer = setTimeout(() => {
      process.kill(-child.pid!, 'SIGKILL');
      reject(new Error(`${command} ${args.join(' ')} took over ${timeout} ms\n${out}${err}`));
    }, timeout);
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece));
    child.on('error', reject).on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, out, err });
    });
    options.onStart?.(child);
  });
}
