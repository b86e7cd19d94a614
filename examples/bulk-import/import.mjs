// Imports a CSV of pets: PETSTORE_API_KEY=… node import.mjs pets.csv
// Kill it whenever you like and start it again: it goes on where it was, and creates nothing twice.
// With --mock it runs against the service in memory, under the Free plan, on a clock that does not make you wait.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { parseCsv } from './csv.mjs';
import { importPets } from './import-pets.mjs';
import { openJournal } from './journal.mjs';
import { lock } from './lock.mjs';
import { progressBar } from './progress.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mock: { type: 'boolean' },
    there: { type: 'string', multiple: true, default: [] },
    missing: { type: 'string', multiple: true, default: [] },
  },
});
const [path] = positionals;
if (path === undefined) {
  console.error('Which file? node import.mjs pets.csv [--mock] [--there LINE]… [--missing LINE]…');
  process.exit(2);
}

/** What cannot begin is told in a line, without a stack. */
function begin(work) {
  try {
    return work();
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

const text = begin(() => readFileSync(path, 'utf8'));
const rows = parseCsv(text);
const bar = progressBar(process.stderr, rows.length);
const mock = values.mock ? createMockService({ clock: 'virtual' }) : undefined;
const options = {
  ...(mock && { fetch: mock.fetch, clock: mock.clock, apiKey: 'mock-free' }),
  int64: 'bigint',
  onEvent(event) {
    if (event.type === 'rate-limit-hold')
      bar.note(`waiting ${Math.ceil(event.delay / 1_000)} s for the rate limit`);
    if (event.type === 'rate-limit-resume') bar.note('');
  },
};
const client = begin(() => new PetStoreClient(options));

const kept = mock ? `${path}.mock` : path;
const unlock = begin(() => lock(`${kept}.lock`));
process.once('exit', unlock);
const fingerprint = createHash('sha256').update(text).digest('hex');
const journal = begin(() => openJournal(`${kept}.journal`, `${fingerprint} to ${client.baseUrl}`));

// The first row stands on line 2. Only what is in doubt can be settled by hand.
for (const [lines, state] of [
  [values.there, 'created'],
  [values.missing, 'unsent'],
]) {
  for (const line of lines)
    if (journal.stateOf(line - 2) === 'sending') journal.record(line - 2, state);
}

// The first Ctrl+C lets the requests under way end; the second stops at once, and leaves them in doubt.
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Interrupted')));

const started = mock?.clock.now();
const stopped = await importPets({
  client,
  rows,
  journal,
  onProgress: bar.show,
  signal: interrupted.signal,
});
bar.end();

const [created, rejected, doubtful] = ['created', 'rejected', 'sending'].map(journal.eventsIn);
console.log(`${created.length} of ${rows.length} pets created.`);
if (mock) {
  const { requests, rateLimited } = mock.report();
  const minutes = Math.round((mock.clock.now() - started) / 60_000);
  console.log(
    `On the mock's clock it took ${minutes} minutes; ${requests} requests, ${rateLimited} refused.`,
  );
}
for (const { row, why } of rejected)
  console.log(`Line ${row + 2}, ${rows[row].name}: not accepted. ${why}`);
for (const { row } of doubtful)
  console.log(`Line ${row + 2}, ${rows[row].name}: sent, but the answer was lost. Is it there?`);
if (doubtful.length > 0)
  console.log('Look, and start it again with --there LINE or --missing LINE for each.');
if (stopped) console.log(`It ended early: ${stopped.message}\nStart it again to go on.`);
journal.close();
process.exitCode = stopped || doubtful.length > 0 || rejected.length > 0 ? 1 : 0;
