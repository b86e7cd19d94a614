// Adds the pets of a CSV file:
//
//     PETSTORE_BASE_URL=… PETSTORE_API_KEY=… node import.mjs pets.csv
//
// The program can be stopped or killed at any time. Start it again with the same file: it continues, and sends no row twice.
// When the quota of the day is exhausted, it ends, and says when to start it again: a start before that sends nothing, so that
// the key is not banned. It stops where the file seems to be imported already: another file of the folder has a journal, or
// the service has pets of the file. arguments.mjs (or --help) describes the options.
import { PetStoreClient } from 'petstore-client';
import { BulkValidationError, createPets } from 'petstore-client/bulk';
import { createMockService } from 'petstore-client/mocks';
import { readArguments } from './arguments.mjs';
import { checkNotImported, journalPath } from './first-run.mjs';
import { progressBar } from './progress.mjs';
import { printOldFiles, printReport } from './report.mjs';
import { readRows } from './rows.mjs';

try {
  await importPets(readArguments());
} catch (error) {
  console.error(error instanceof BulkValidationError ? 'Nothing was sent.' : error.message);
  process.exitCode = 2;
}

async function importPets({ path, mock: isMock, isNew, acrossDays, now, find, decisions }) {
  const { rows, lines, nameless } = readFile(path);
  for (const line of nameless) console.error(`line ${line}: warning: the name is empty`);
  const mock = isMock ? createMockService({ clock: 'virtual' }) : undefined;
  const client = new PetStoreClient({
    ...(mock && { fetch: mock.fetch, apiKey: 'mock-free' }),
    int64: 'bigint',
  });
  // The mock forgets its pets when the program ends.
  const journal = mock ? undefined : journalPath(path, client, isNew);
  const bar = progressBar(process.stderr);

  // The first Ctrl+C waits for the requests in flight, so that their outcomes are known. The second ends the program at once.
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => interrupt.abort(new Error('interrupted')));
  const [{ signal }, onProgress] = [interrupt, bar.show];
  const options = { journal, ignoreHold: now, acrossDays, signal, onProgress };

  const started = mock?.clock.now();
  const run = async () => {
    const early = mock || isNew ? undefined : await checkNotImported(client, rows, options);
    const decide = ({ index }) => decisions.take(lines[index]);
    return early ?? createPets(client, rows, { ...options, unknown: find ? 'look' : decide });
  };
  const report = await run().catch((error) => {
    if (error instanceof BulkValidationError) printInvalidRows(error.rows, lines);
    throw error;
  });
  bar.end();
  for (const line of decisions.left())
    console.error(`line ${line}: its outcome is not unknown: nothing was changed`);
  if (mock) {
    const minutes = Math.round((mock.clock.now() - started) / 60_000);
    console.log(`Minutes on the clock of the mock: ${minutes}.`);
  }
  printReport(path, report, lines);
  if (!mock && !report.stopped) printOldFiles(path, report, lines);
}

function printInvalidRows(invalid, lines) {
  for (const { index, row, issues } of invalid)
    for (const {
      path: [field],
      message,
    } of issues)
      console.error(
        field === 'categoryId' && typeof row.categoryId === 'string'
          ? `line ${lines[index]}: categoryId must be a whole number, not "${row.categoryId}"`
          : `line ${lines[index]}: ${field} ${message}`,
      );
}

function readFile(path) {
  try {
    return readRows(path);
  } catch (error) {
    throw new Error(`${path}: ${error.message} Nothing was sent.`, { cause: error });
  }
}
