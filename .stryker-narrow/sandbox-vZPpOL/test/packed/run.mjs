// @ts-nocheck
import { runProgram } from '../support/programs.ts';

/** Runs a program to its end; rejects with all it printed when it fails or takes longer than `timeout` ms. */
export async function run(command, args, options) {
  const { code, out, err } = await runProgram(command, args, { timeout: 120_000, ...options });
  if (code === 0) return { stdout: out, stderr: err };
  throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${out}${err}`.trim());
}
