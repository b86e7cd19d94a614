#!/usr/bin/env node
// petstore-mock: the stand-alone service.
import { readFileSync } from 'node:fs';
import { createApp } from './standalone/app.js';
import { UsageError } from './standalone/cli-options.js';
import { readOptions, type CliOptions } from './standalone/cli-options.js';
import { banner, help, machineBanner, paint } from './standalone/cli-text.js';
import { Worlds, type CreateWorld } from './control/worlds.js';
import { createMockService } from './index.js';
import { listenOn } from './standalone/listen.js';

/** How long requests under way may take once the service is told to stop, ms. */
const grace = 5000;

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help(process.stdout));
  else if (options.version) process.stdout.write(`${version()}\n`);
  else await run(options);
} catch (error) {
  fail(error);
}

async function run(options: CliOptions): Promise<void> {
  const { clock, latency, keys, seed, host, port } = options;
  const createWorld: CreateWorld = (changes) =>
    createMockService({ clock, latency, keys, seed, ...changes });
  const worlds = new Worlds(createWorld({}), createWorld);
  const service = worlds.first;
  const state =
    options.state === undefined
      ? undefined
      : (await import('./standalone/state-file.js')).openState(options.state, worlds);
  const app = createApp(worlds, { host });
  const server = await listenOn(state?.keeping(app) ?? app, {
    port,
    host,
    grace,
    maxBodyBytes: service.assumptions.maxBodyBytes,
  });

  // Before it says that it is there: whoever reads that may stop it at once.
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(130); // asked twice: at once
    stopping = true;
    void server.close().then(() => state?.close());
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  // A reader that goes away (`petstore-mock | head -1`) is no reason to stop.
  process.stdout.on('error', () => undefined);
  process.stdout.write(
    options.json ? machineBanner(service, server.url) : banner(service, server.url, process.stdout),
  );
  if (state && !state.isNew && options.seedGiven)
    process.stderr.write(
      `${paint(process.stderr, 'red', 'Note')}: --seed is ignored: ${options.state} has pets of its own.\n`,
    );
  if (!/^(127\.|localhost$|::1$)/.test(host)) {
    process.stderr.write(
      `${paint(process.stderr, 'red', 'Note')}: ${host} can be reached from other machines, and its keys are public.\n`,
    );
  }
}

function fail(error: unknown): void {
  const usage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  const portTaken = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const way = usage
    ? 'Try: petstore-mock --help\n'
    : portTaken
      ? 'Try: petstore-mock --port 0\n'
      : '';
  process.stderr.write(`${paint(process.stderr, 'red', 'petstore-mock')}: ${message}\n${way}`);
  process.exitCode = usage ? 2 : 1;
}

function version(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return version;
}
