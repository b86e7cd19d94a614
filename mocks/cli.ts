#!/usr/bin/env node
// petstore-mock: the stand-alone service.
import { readFileSync } from 'node:fs';
import { UsageError } from './standalone/cli/check-flags.js';
import { readOptions } from './standalone/cli/options.js';
import { run } from './standalone/cli/run.js';
import { help, paint } from './standalone/cli/text.js';

try {
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'verify')
    process.exitCode = await (await import('./standalone/verify/command.js')).runVerify(rest);
  else await serveOrTell();
} catch (error) {
  fail(error);
}

async function serveOrTell(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help(process.stdout));
  else if (options.version) process.stdout.write(`${version()}\n`);
  else await run(options);
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
