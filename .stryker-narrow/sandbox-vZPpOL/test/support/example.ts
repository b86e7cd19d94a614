// @ts-nocheck
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgram, type Ended } from './programs.js';

/** The folder of an example. */
export const example = (name: string): string => resolve('examples', name);

/** A module of an example, as it is: plain JavaScript, whose shape is told where it is used. */
export const loadExample = async (path: string): Promise<unknown> =>
  import(pathToFileURL(resolve('examples', path)).href);

/** Links the tool that an example with a package.json of its own needs, and this package as built here. @returns its folder. */
export function linkExample(name: string, tool: string): string {
  const folder = example(name);
  const modules = join(folder, 'node_modules');
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules);
  symlinkSync(resolve('.'), join(modules, 'petstore-client'));
  symlinkSync(resolve('tools/node_modules', tool), join(modules, tool));
  return folder;
}

/** Runs a tool of the repository, or of an example, by its file; the process that runs this runs it too. */
export const runTool = (
  file: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string | undefined> = {},
): Promise<Ended> =>
  // What a test runner tells its children must not reach another one.
  runProgram(process.execPath, [file, ...args], {
    cwd,
    env: { VITEST: undefined, NODE_ENV: undefined, VITEST_MODE: undefined, ...env },
  });
