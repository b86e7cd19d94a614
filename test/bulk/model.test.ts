// Imports with every kind of response, that die and are continued, against a simple reference.
import { expect, test } from 'vitest';
import { createPets, memoryJournal } from '../../src/bulk/index.js';
import type { BulkOptions, BulkProgress, BulkReport } from '../../src/bulk/index.js';
import type { NewPet } from '../../src/index.js';
import { fc, fuzzRuns } from '../support/fuzz.js';
import { errorResponse } from '../support/stub.js';
import { world } from '../support/world.js';

/** The list of the report for the rows of each name, where their outcome was recorded. */
const fates = {
  Created: 'created',
  Unread: 'created',
  Refused: 'rejected',
  Lost: 'unknown',
  Gone: 'unknown',
} as const;
type Name = keyof typeof fates;
const hasPet = (name: string) => ['Created', 'Unread', 'Lost'].includes(name);

/** A service that treats each row by its name, and runs with one journal. */
function imports() {
  const { service, client } = world({ seed: 0, assumptions: { ids: 100 } });
  const journal = memoryJournal();
  let sent: Name[] = [];
  const fetch: typeof service.fetch = async (input, init) => {
    const name = /"name":"(\w+)"/.exec(init?.body as string)?.[1] as Name | undefined;
    if (name !== undefined) sent.push(name);
    if (name === 'Refused') return errorResponse(400);
    if (name === 'Gone') throw new TypeError('terminated');
    const response = await service.fetch(input, init);
    if (name === 'Lost') throw new TypeError('terminated');
    return name === 'Unread' ? new Response('{', response) : response;
  };
  /** The names of the rows whose last entry in the journal is one of these. */
  const recordedAs = async (...states: string[]) => {
    const last = new Map([...(await journal.read())].map(({ row, state }) => [row, state]));
    const rows = [...last.keys()].filter((row) => states.includes(last.get(row)!));
    return rows.map((row) => (JSON.parse(row) as [Name])[0]);
  };
  const begun = ['sending', 'created', 'rejected', 'unknown'];

  /** A run whose journal fails after so many writes, as if it died, compared with the reference. */
  const run = async (rows: readonly NewPet[], writes: number, options: BulkOptions = {}) => {
    let left = writes;
    const write: typeof journal.write = (entry) => {
      if (left-- <= 0) throw new Error('killed');
      return journal.write(entry);
    };
    let shown: BulkProgress | undefined;
    const onProgress = (progress: BulkProgress) => void (shown = progress);
    const before = await recordedAs(...begun);
    const earlier = await recordedAs('created');
    const refused = await recordedAs('rejected');
    const doubtful = await recordedAs('sending', 'unknown');
    sent = [];
    const given = { journal: { ...journal, write }, onProgress, ...options };
    const report = await createPets(client({ fetch }), rows, given);

    const sentOf = (list: string) => sent.filter((name) => fates[name] === list);
    const unknown = [...doubtful, ...sentOf('unknown')];
    const isFound = (name: Name) => options.unknown === 'look' && hasPet(name);
    const done = expectLists(rows, report, {
      created: sentOf('created'),
      earlier,
      found: unknown.filter(isFound),
      rejected: [...refused, ...sentOf('rejected')],
      unknown: unknown.filter((name) => !isFound(name)),
    });
    expect(report.unsent).toBe(rows.length - done);
    const { created, rejected, unrecorded, found, stopped } = report;
    const counts = { total: rows.length, created: created.length, rejected: rejected.length };
    expect(shown).toMatchObject({ ...counts, done, unknown: report.unknown.length });
    // Each row was recorded before it was sent, and is sent once.
    expect([...before, ...sent].sort()).toEqual((await recordedAs(...begun)).sort());
    const recorded = (await recordedAs('created')).length - earlier.length;
    expect(created.length - unrecorded.length + found.length).toBe(recorded);
    const unclear = sent.filter((name) => name !== 'Created' && name !== 'Refused');
    if (unclear.length < 3) expect(stopped?.message).toBe(left < 0 ? 'killed' : undefined);
    if (stopped === undefined) expect(report.unsent).toBe(0);
    return stopped;
  };
  // Only its category or its status shows that it is no pet of a row.
  const other = { name: 'Gone', categoryId: 2, status: 'available' } as const;
  return { service, run, addOther: () => client().createPet(other) };
}

/** Returns how many rows are in the lists, each in one of them. */
function expectLists(
  rows: readonly NewPet[],
  report: BulkReport,
  expected: Partial<Record<keyof BulkReport, Name[]>>,
): number {
  const lists = Object.entries(expected).map(([list, names]) => {
    const reported = report[list as 'created'];
    expect(reported.map(({ row }) => row.name).sort()).toEqual(names.sort());
    expect(reported.map(({ index }) => rows[index])).toEqual(reported.map(({ row }) => row));
    expect(reported).toEqual(reported.toSorted((a, b) => a.index - b.index));
    return reported;
  });
  for (const { row, pet } of [...report.created, ...report.found])
    if (row.name !== 'Unread' || pet !== undefined) expect(pet).toMatchObject(row);
  for (const { row, id } of report.earlier) expect(id === undefined).toBe(row.name === 'Unread');
  const places = lists.flat().map(({ index }) => index);
  expect(new Set(places).size).toBe(places.length);
  return places.length;
}

test('whenever runs die, whatever the service responds and however the rows are sorted, each row is sent at most once, reported where it belongs, and found if its pet exists', async () => {
  const anyRow = fc.record<NewPet>({
    name: fc.constantFrom(...Object.keys(fates)),
    categoryId: fc.constantFrom(1, 2),
    status: fc.constantFrom('sold', 'pending'),
  });
  // Any status fits a row without one.
  const withoutStatus = ({ name, categoryId }: NewPet): NewPet => ({ name, categoryId });
  const anyRun = fc.record({
    writes: fc.nat(20),
    concurrency: fc.integer({ min: 1, max: 4 }),
    isSorted: fc.boolean(),
  });
  const contentOf = ({ name, categoryId, status = 'available' }: NewPet) =>
    `${name} ${categoryId} ${status}`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 1, maxLength: 7 }),
      fc.array(anyRun, { maxLength: 3 }),
      async (some, runs) => {
        const { service, run, addOther } = imports();
        const rows = some.map((row) => (row.categoryId === 1 ? withoutStatus(row) : row));
        for (const { writes, concurrency, isSorted } of runs) {
          await run(isSorted ? rows : rows.toReversed(), writes, { concurrency });
          await addOther();
        }
        while ((await run(rows, Infinity)) !== undefined);
        // This row has an id, around which pets are looked for.
        const more: NewPet[] = [...rows, { name: 'Created', categoryId: 9 }];
        await run(more, Infinity, { unknown: 'look' });
        const own = service.pets.list().filter(({ name }) => name !== 'Gone');
        const existing = more.filter(({ name }) => hasPet(name));
        expect(own.map(contentOf).sort()).toEqual(existing.map(contentOf).sort());
      },
    ),
    { numRuns: fuzzRuns(60) },
  );
});
