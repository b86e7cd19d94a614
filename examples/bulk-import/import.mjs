// Adds the pets of a CSV file:
//
//     PETSTORE_API_KEY=… node import.mjs pets.csv [--across-days]
//
// The program can be stopped or killed at any time. Start it again with the same file: it continues, and sends no row twice.
// With --across-days it waits when the quota of the day is exhausted. Without, it ends, and says when to start it again.
// With --mock it adds the pets to a mock service on the Free plan, in virtual time, so that it does not wait.
import { parseArgs } from 'node:util';
import { ConfigurationError, PetStoreClient } from 'petstore-client';
import { BulkValidationError, createPets, fileJournal } from 'petstore-client/bulk';
import { createMockService } from 'petstore-client/mocks';
import { progressBar } from './progress.mjs';
import { readRows, writeFailedRows } from './rows.mjs';

try {
  await importPets(readArguments());
} catch (error) {
  console.error(error instanceof BulkValidationError ? 'Nothing was sent.' : error.message);
  process.exitCode = 2;
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { mock: { type: 'boolean' }, 'across-days': { type: 'boolean' } },
  });
  if (positionals.length === 1)
    return { path: positionals[0], mock: values.mock, acrossDays: values['across-days'] };
  throw new Error('Usage: node import.mjs FILE.csv [--across-days] [--mock]');
}

async function importPets({ path, mock: isMock, acrossDays }) {
  const { rows, lines } = readFile(path);
  const mock = isMock ? createMockService({ clock: 'virtual' }) : undefined;
  const client = new PetStoreClient({
    ...(mock && { fetch: mock.fetch, clock: mock.clock, apiKey: 'mock-free' }),
    int64: 'bigint',
  });
  // The address is part of the name: what staging has, production has not.
  const { host } = new URL(client.baseUrl);
  const journal = fileJournal(`${path}.${host.replaceAll(/[^\w.-]/g, '-')}.journal`);
  const bar = progressBar(process.stderr);

  // The first Ctrl+C waits for the requests in flight, so that their outcomes are known. The second ends the program at once.
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => interrupt.abort(new Error('interrupted')));

  const started = mock?.clock.now();
  const report = await createPets(client, rows, {
    // The mock forgets its pets when the program ends.
    ...(mock ? { clock: mock.clock } : { journal }),
    acrossDays,
    signal: interrupt.signal,
    onProgress: bar.show,
  }).catch((error) => {
    if (error instanceof BulkValidationError)
      for (const { index, issues } of error.rows)
        for (const issue of issues)
          console.error(`line ${lines[index]}: ${issue.path.join('.')} ${issue.message}`);
    throw error;
  });
  bar.end();
  if (mock) {
    const minutes = Math.round((mock.clock.now() - started) / 60_000);
    console.log(`On the clock of the mock, it took ${minutes} minutes.`);
  }
  printReport(path, report);
}

function readFile(path) {
  try {
    return readRows(path);
  } catch (error) {
    throw new ConfigurationError(`${path}: ${error.message} Nothing was sent.`);
  }
}

function printReport(path, { total, created, skipped, rejected, unknown, unsent, stopped }) {
  console.log(`${created.length + skipped} of ${total} pets added, ${created.length} of them now.`);
  const failed = [
    ...rejected.map((row) => ({ ...row, outcome: 'rejected' })),
    ...unknown.map((row) => ({ ...row, outcome: 'unknown' })),
  ];
  if (failed.length > 0)
    console.log(
      `${rejected.length} rows were rejected, ${unknown.length} have an unknown outcome: see ${writeFailedRows(path, failed)}`,
    );
  if (stopped !== undefined) {
    const when = stopped.retryAt === undefined ? '' : ` after ${stopped.retryAt.toISOString()}`;
    console.log(
      `Stopped: ${stopped.error.message}\n${unsent} rows are not sent. Start the program again${when}.`,
    );
  }
  process.exitCode = stopped === undefined && failed.length === 0 ? 0 : 1;
}
