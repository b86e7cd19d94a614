import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { BulkReport } from '../../src/bulk/index.js';
import { bundle } from './builds.js';
import { root } from './documents.js';
import { runProgram } from './programs.js';

/** What a run of the program is to do. */
export interface ImportJob {
  readonly url: string;
  readonly journal: string;
  /** Rows: `Pet 0`, `Pet 1` and so on. */
  readonly count: number;
  /** When to call `createPets`, ms since the Unix epoch, so that several programs do it at once. */
  readonly startAt?: number;
}

/** Its report, or its error. */
export type ImportResult = Partial<BulkReport> & {
  readonly error?: string;
  readonly message?: string;
};

/** The program as each of the two builds has it. */
export async function buildImport(): Promise<{ esm: string; cjs: string }> {
  const entry = 'test/support/import-program.ts';
  const quiet = { logLevel: 'silent' } as const;
  return { esm: await bundle(entry, 'esm', quiet), cjs: await bundle(entry, 'cjs', quiet) };
}

/** Runs the program in a process; `onStart` gets a function that kills it. `undefined` if it was killed. */
export async function startProcess(
  program: string,
  job: ImportJob,
  { onStart, command = [] }: { onStart?: (kill: () => void) => void; command?: string[] } = {},
): Promise<ImportResult | undefined> {
  const [name, ...args] = [...command, process.execPath, program, JSON.stringify(job)];
  const { out, err, code } = await runProgram(name!, args, {
    env: { NODE_COMPILE_CACHE: join(root, 'temp/import/cache') },
    onStart: (child) => onStart?.(() => child.kill('SIGKILL')),
  });
  if (code === null) return undefined;
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as ImportResult;
}

/** Runs the program in a thread of this process. */
export async function startThread(program: string, job: ImportJob): Promise<ImportResult> {
  const worker = new Worker(program, { argv: [JSON.stringify(job)], stdout: true });
  return JSON.parse(await text(worker.stdout)) as ImportResult;
}
