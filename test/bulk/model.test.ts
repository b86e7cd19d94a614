// Imports with every kind of response, that die and are continued, against a simple reference.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPets, memoryJournal } from '../../src/bulk/index.js';
import type { BulkOptions, BulkProgress } from '../../src/bulk/index.js';
import type { NewPet } from '../../src/index.js';
import { fuzzRuns } from '../support/fuzz.js';
import { errorResponse } from '../support/stub.js';
import { world } from '../support/world.js';

/** What becomes of the rows of each name: where the report has them, and whether their pets exist. */
const fates = {
  Created: { list: 'created', exists: true },
  Unread: { list: 'created', exists: true },
  Refused: { list: 'rejected', exists: false },
  Lost: { list: 'unknown', exists: true },
  Gone: { list: 'unknown', exists: false },
} as const;
type Name = keyof typeof fates;
const names = Object.keys(fates) as Name[];

/** A service that treats each row by its name, and runs with one journal. */
function imports() {
  const { service, client } = world({ seed: 0 });
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
  /** The last state of each row in the journal, by its name there. */
  const recorded = async () =>
    new Map([...(await journal.read())].map(({ row, state }) => [row, state]));
  /** A run whose journal fails after so many writes, as if it died. */
  const run = async (rows: readonly NewPet[], writes: number, options: BulkOptions = {}) => {
    let left = writes;
    const write: typeof journal.write = (entry) => {
      if (left-- <= 0) throw new Error('killed');
      return journal.write(entry);
    };
    let shown: BulkProgress | undefined;
    const onProgress = (progress: BulkProgress) => void (shown = progress);
    const before = await recorded();
    sent = [];
    const given = { journal: { ...journal, write }, onProgress, ...options };
    const report = await createPets(client({ fetch }), rows, given);
    return { report, shown, before, after: await recorded(), sent, isKilled: left < 0 };
  };
  const addOther = () => client().createPet({ name: 'Other', categoryId: 1 });
  return { service, run, addOther };
}

/** Compares a run with what the journal said before it, and with what the service received. */
function check(
  rows: readonly NewPet[],
  {
    report,
    shown,
    before,
    after,
    sent,
    isKilled,
  }: Awaited<ReturnType<ReturnType<typeof imports>['run']>>,
  isLook: boolean,
): void {
  const inState = (states: typeof before, ...some: string[]) =>
    [...states].flatMap(([row, state]) =>
      some.includes(state) ? (JSON.parse(row) as [Name])[0] : [],
    );
  const begun = ['sending', 'created', 'rejected', 'unknown'];
  const now = (list: string) => sent.filter((name) => fates[name].list === list);
  const unknown = [...inState(before, 'sending', 'unknown'), ...now('unknown')];
  const isFound = (name: Name) => isLook && fates[name].exists;
  const expected = {
    created: now('created'),
    earlier: inState(before, 'created'),
    found: unknown.filter(isFound),
    rejected: [...inState(before, 'rejected'), ...now('rejected')],
    unknown: unknown.filter((name) => !isFound(name)),
  };
  const lists = Object.entries(expected).map(([list, some]) => {
    const reported = report[list as keyof typeof expected];
    expect(reported.map(({ row }) => row.name).sort()).toEqual(some.sort());
    expect(reported.map(({ index }) => rows[index])).toEqual(reported.map(({ row }) => row));
    expect(reported).toEqual([...reported].sort((a, b) => a.index - b.index));
    return reported;
  });
  const all = lists.flat();
  expect(new Set(all.map(({ index }) => index)).size).toBe(all.length);
  expect(report.unsent).toBe(rows.length - all.length);
  for (const { row, pet } of [...report.created, ...report.found])
    if (row.name !== 'Unread' || pet !== undefined) expect(pet).toMatchObject(row);
  for (const { row, id } of report.earlier) expect(id === undefined).toBe(row.name === 'Unread');
  const inJournal = (states: typeof before) => inState(states, 'created').length;
  expect(report.created.length - report.unrecorded.length + report.found.length).toBe(
    inJournal(after) - inJournal(before),
  );
  // Each row was recorded before it was sent, and only once.
  expect([...inState(before, ...begun), ...sent].sort()).toEqual(inState(after, ...begun).sort());
  expect(shown).toMatchObject({
    total: rows.length,
    done: all.length,
    created: report.created.length,
    rejected: report.rejected.length,
    unknown: unknown.length,
  });
  const unclear = sent.filter((name) => name !== 'Created' && name !== 'Refused');
  if (!isKilled && unclear.length < 3) expect(report.stopped).toBeUndefined();
  if (report.stopped === undefined) expect(report.unsent).toBe(0);
}

test('whenever runs die, whatever the service responds and however the rows are sorted, each row is sent at most once, reported where it belongs, and found if its pet exists', async () => {
  const kinds: Omit<NewPet, 'name'>[] = [
    { categoryId: 1 },
    { categoryId: 2, status: 'sold' },
    { categoryId: 2, status: 'pending' },
  ];
  const anyRow = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...kinds))
    .map(([name, kind]): NewPet => ({ name, ...kind }));
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
      async (rows, runs) => {
        const { service, run, addOther } = imports();
        for (const { writes, concurrency, isSorted } of runs) {
          const some = isSorted ? rows : rows.toReversed();
          check(some, await run(some, writes, { concurrency }), false);
          await addOther();
        }
        let last;
        do check(rows, (last = await run(rows, Infinity)), false);
        while (last.report.stopped !== undefined);
        // This row has an id, around which pets are looked for.
        const more: NewPet[] = [...rows, { name: 'Created', categoryId: 9 }];
        check(more, await run(more, Infinity, { unknown: 'look' }), true);
        const own = service.pets.list().filter(({ name }) => name !== 'Other');
        const existing = more.filter(({ name }) => fates[name as Name].exists);
        expect(own.map(contentOf).sort()).toEqual(existing.map(contentOf).sort());
      },
    ),
    { numRuns: fuzzRuns(60), seed: 7 },
  );
});
