// A journal that a crash, a full disk, another program or a person has damaged: no row may be sent twice because of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPets, fileJournal } from '../../src/bulk/index.js';
import { ConfigurationError, type NewPet } from '../../src/index.js';
import { rejection, world } from '../support/world.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damaged-journal-'));
  path = join(folder, 'pets.journal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const runs = Number(process.env['FUZZ_RUNS'] ?? 150);
const rows: NewPet[] = ['Rex', 'Bella', 'Rex', 'Zoë "the Wild"'].map((name) => ({
  name,
  categoryId: 1,
}));

/** A run in which the second row is unknown, and the third was rate-limited once, and its journal. */
async function firstRun(input = rows) {
  const { service, client } = world();
  const add = () =>
    createPets(client(), input, {
      journal: fileJournal(path),
      clock: service.clock,
      concurrency: 2,
    });
  service.faults.add({
    operation: 'createPet',
    sequence: ['pass', { 'network-error': 'after' }, { status: 429 }],
  });
  await add();
  expect(service.pets.size).toBe(input.length);
  return { service, add, bytes: readFileSync(path) };
}

/** After any damage, a run either refuses the journal or adds no pet a second time. */
async function expectNoDuplicate(
  { service, add }: Awaited<ReturnType<typeof firstRun>>,
  damaged: Buffer,
) {
  writeFileSync(path, damaged);
  const requests = service.requests.length;
  const failure: unknown = await add().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined) expect(failure).toBeInstanceOf(ConfigurationError);
  expect(service.requests.length).toBe(requests);
}

test('a journal that is cut at any byte never leads to a second pet', async () => {
  const run = await firstRun();
  for (let size = 0; size < run.bytes.length; size += 1)
    await expectNoDuplicate(run, run.bytes.subarray(0, size));
});

test('a journal in which any range is overwritten never leads to a second pet', async () => {
  const run = await firstRun();
  const last = run.bytes.length;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(last),
      fc.integer({ min: 1, max: last }),
      fc.constantFrom('#', '\0', '\n', ' ', '"', '}', '0'),
      async (from, length, filling) => {
        const damaged = Buffer.from(run.bytes);
        damaged.fill(filling, from, Math.min(last, from + length));
        await expectNoDuplicate(run, damaged);
      },
    ),
    { numRuns: runs, seed: 7 },
  );
});

test('a journal from which any lines are removed, or in which they are swapped, never leads to a second pet', async () => {
  const run = await firstRun();
  const lines = run.bytes.toString().split(/(?<=\n)/);
  for (let from = 0; from < lines.length; from += 1)
    for (let to = from + 1; to <= lines.length; to += 1) {
      const rest = [...lines.slice(0, from), ...lines.slice(to)];
      await expectNoDuplicate(run, Buffer.from(rest.join('')));
      const swapped = [...lines.slice(0, from), ...lines.slice(to), ...lines.slice(from, to)];
      await expectNoDuplicate(run, Buffer.from(swapped.join('')));
    }
});

test('a last line `sending` that is cut behind its row counts as sent', async () => {
  const { service, client } = world();
  const text = await interruptedAfterSending();
  for (const cut of [1, 2, 10, 30]) {
    writeFileSync(path, text.slice(0, -cut));
    for (const reason of ['interrupted', 'interrupted'])
      expect(
        await createPets(client(), [rows[0]!], {
          journal: fileJournal(path),
          clock: service.clock,
        }),
      ).toMatchObject({ created: [], unsent: 0, unknown: [{ index: 0, reason }] });
  }
  expect(service.requests).toHaveLength(0);
});

test('a last line that was cut before the row was sent, without a readable row, is removed, and the row is sent', async () => {
  const { service, client } = world();
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: 1 }));
  const add = (input: readonly NewPet[]) =>
    createPets(client(), input, { journal: fileJournal(path), clock: service.clock });
  await add(rowsOf(1));
  for (const [at, rest] of ['{"row":"[\\"Bel', '{"row":"\\x"', '\0\0\0'].entries()) {
    writeFileSync(path, readFileSync(path, 'utf8') + rest);
    const report = await add(rowsOf(at + 2));
    expect(report).toMatchObject({ skipped: at + 1, unknown: [], created: [{ index: at + 1 }] });
  }
  expect(await add(rowsOf(4))).toMatchObject({ skipped: 4 });
});

test.each([
  ['', /is not a journal of createPets: it is empty\. Pass another path/],
  ['{"journal":"petstore-client/bulk","version":1}\n', /is damaged: line 1 cannot be read/],
  ['name,categoryId\n', /is not a journal of createPets\. Pass another path/],
])(
  'the file %j is refused as a journal, with its path, and stays as it is',
  async (text, message) => {
    const { client } = world();
    writeFileSync(path, text);
    const error = await rejection<ConfigurationError>(
      createPets(client(), [], { journal: fileJournal(path) }),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(path);
    expect(error.message).toMatch(message);
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('the journal in the guide is what a run writes', async () => {
  const { service, client } = world({ assumptions: { firstId: 812 } });
  const shown = /^\{"journal"[^`]*/m.exec(readFileSync('docs/bulk.md', 'utf8'))?.[0];
  const journal = fileJournal(path);
  await createPets(client(), [rows[0]!], { journal, clock: service.clock });
  expect(readFileSync(path, 'utf8')).toBe(shown);
});

test('a damaged line is named, and the error says what to do', async () => {
  const { bytes, add } = await firstRun();
  const lines = bytes.toString().split('\n');
  lines[2] = '#'.repeat(lines[2]!.length);
  writeFileSync(path, lines.join('\n'));
  await expect(add()).rejects.toThrow(
    /pets\.journal is damaged: line 3 cannot be read\. Nothing was sent\. .* begin a new journal/,
  );
});

/** A journal whose last line says that the first row was about to be sent. */
async function interruptedAfterSending(): Promise<string> {
  const journal = fileJournal(path);
  await journal.read();
  await journal.write({ row: '["Rex","1",null]', state: 'sending' });
  await journal.close?.();
  return readFileSync(path, 'utf8');
}
