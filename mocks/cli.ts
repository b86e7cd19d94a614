#!/usr/bin/env node
// petstore-mock: the stand-alone service.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { UsageError } from './standalone/cli/flags.js';
import { readOptions } from './standalone/cli/options.js';
import { help, paint } from './standalone/cli/text.js';
import { readVerifyOptions } from './standalone/verify/options.js';
import { verifyHelp } from './standalone/verify/help.js';

// The service and the verification are loaded after the command line is read, so that help and mistakes appear at once. Node keeps
// the compiled code for the next start, where it can.
try {
  // The program continues when nobody reads what it prints (`petstore-mock 2>&1 | head -1`).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 12))
    throw new Error(`needs Node 22.12 or newer, and this is ${process.versions.node}`);
  module.enableCompileCache();
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'verify') await runVerifyCommand(rest);
  else await runServe();
} catch (error) {
  fail(error);
}

async function runServe(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help(process.stdout));
  else if (options.version) process.stdout.write(`${version()}\n`);
  else await (await import('./standalone/cli/run.js')).run(options);
}

async function runVerifyCommand(args: readonly string[]): Promise<void> {
  const options = readVerifyOptions(args);
  if (options.help) process.stdout.write(verifyHelp(process.stdout));
  else process.exitCode = await (await import('./standalone/verify/command.js')).runVerify(options);
}

function fail(error: unknown): void {
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  const isPortTaken = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const hint = isUsage
    ? `Try: petstore-mock ${process.argv[2] === 'verify' ? 'verify ' : ''}--help\n`
    : isPortTaken
      ? 'Try: petstore-mock --port 0\n'
      : '';
  process.stderr.write(`${paint(process.stderr, 'red', 'petstore-mock')}: ${message}\n${hint}`);
  process.exitCode = isUsage ? 2 : 1;
}

function version(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return version;
}
