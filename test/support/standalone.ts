import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll } from 'vitest';
import { temporaryFolder } from './temporary-folder.js';
import { bundle } from './builds.js';
import { runProgram } from './programs.js';
import { define } from '../../scripts/dashboard.mjs';

/** The program while it listens. */
export type Started = Awaited<ReturnType<ReturnType<typeof useProgram>['start']>>;

/** `petstore-mock` as it is shipped: one file in a process of its own, built from the source of this checkout. */
export function useProgram() {
  const folder = temporaryFolder();
  const program = join(folder, 'dist/mocks/cli.mjs');
  const running = new Set<ReturnType<typeof spawn>>();
  const env = { ...process.env, NO_COLOR: '', FORCE_COLOR: '' };

  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3' }));
    await bundle('mocks/cli.ts', 'esm', { define, outfile: program, target: 'node22' });
  }, 30_000);

  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });

  const run = (...args: string[]) => runProgram(process.execPath, [program, ...args], { env });

  /** Starts it, and waits until it has printed something; its options of Node may load a module before it. */
  const launch = async (nodeOptions: string, ...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...env, NODE_OPTIONS: nodeOptions },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    /** Resolves with the exit code; null after a signal. */
    const exit = once(child, 'exit').then(([code]) => code as number | null);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const failed = exit.then(() => Promise.reject(new Error(err)));
    const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
    return { child, exit, line: String(line), stderr: () => err };
  };

  /** Starts it on a free port. */
  const startWith = async (nodeOptions: string, ...args: string[]) => {
    const started = await launch(nodeOptions, '--port', '0', '--json', ...args);
    type Printed = { url: string; keys: object; pets: number };
    return { ...started, ...(JSON.parse(started.line) as Printed) };
  };

  const start = (...args: string[]) => startWith('', ...args);
  return { folder, program, run, launch, start, startWith };
}
