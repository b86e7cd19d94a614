import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  checkFleetStore,
  memoryStore,
  redisStore,
  sqliteStore,
  type FleetStore,
} from '../../src/fleet/index.js';
import { ConfigurationError } from '../../src/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { storeContract, testStore } from '../support/fleet-contract.js';
import { rejection } from '../support/world.js';

/** The stores whose transactions the package has, each new and empty. */
const updating: Readonly<Record<string, () => FleetStore>> = {
  'the store in memory': () => memoryStore(),
  'a store of one’s own with a function run': () => ({
    ...memoryStore(),
    run: () => Promise.reject(new Error('not for the gate')),
  }),
  SQLite: () => sqliteStore(join(temporaryFolder(), 'fleet.db')),
};

test.each(Object.entries(updating))('%s does what a store must do', (_name, create) =>
  testStore(create()),
);

const memory = memoryStore();

/** A store that passes its time in another form. */
const withTime = (form: (now: number) => unknown): FleetStore => ({
  update: (key, change) => memory.update(key, (text, now) => change(text, form(now) as number)),
});

test.each<[sentences: string, broken: FleetStore['update']]>([
  [
    'the first update of a key finds no text; two keys have two texts',
    (key, change) => memory.update(key, (text = '', now) => change(text, now)),
  ],
  [
    'an update finds the text of the one before',
    (key, change) => memory.update(key, (text, now) => change(text, now).slice(0, 65_535)),
  ],
  ['two keys have two texts', (key, change) => memory.update(key.slice(0, 114), change)],
  [
    'updates that come together happen one after the other',
    async (key, change) => {
      let next = '';
      await memory.update(key, (text, now) => {
        next = change(text, now);
        return text ?? '0';
      });
      await memory.update(key, () => next);
    },
  ],
  ['two keys have two texts', (key, change) => memory.update(key.replace('-other', ''), change)],
  [
    'an update whose change throws rejects, and changes nothing',
    (key, change) => memory.update(key, change).catch(() => undefined),
  ],
  [
    'an update whose change throws rejects, and changes nothing',
    async (key, change) => {
      try {
        await memory.update(key, change);
      } catch (failure) {
        await memory.update(key, () => '');
        throw failure;
      }
    },
  ],
  ...[1e-3, 1e3, -1].map((factor): [string, FleetStore['update']] => [
    'the clock goes forward, in ms',
    (...update) => withTime((now) => factor * now).update(...update),
  ]),
])('the check finds a store that breaks the rule: %s', async (sentences, broken) => {
  const problems = sentences.split('; ').map((sentence) => `broken rule: ${sentence}`);
  expect(await checkFleetStore({ update: broken })).toEqual(problems);
});

test('the check says why a store fails', async () => {
  const problems = await checkFleetStore({ update: () => Promise.reject(new Error('no disk')) });
  expect(problems[0]).toBe('broken rule: the first update of a key finds no text (Error: no disk)');
});

test.each<[says: string, FleetStore]>([
  ['update of the store must call change', { update: () => Promise.resolve() }],
  ['update must pass the time to change', withTime(() => undefined)],
  ['update must pass the time to change, in ms since 1970', withTime((now) => -now)],
])('a store that breaks this rule is named: %s', async (says, store) => {
  expect((await rejection<Error>(storeContract(store))).message).toContain(says);
});

test.each([String, BigInt, (now: number) => new Date(now)])(
  'the time of a store may come as a database gives it, by %o',
  async (form) => {
    expect(await checkFleetStore(withTime(form))).toEqual([]);
    await storeContract(withTime(form));
  },
);

describe('SQLite', () => {
  const fileIn = (name: string) => join(temporaryFolder(), name);
  const text = () => 'a text';

  test('a file that is opened again has its texts, but those that nobody used for 25 hours', async () => {
    const store = sqliteStore(fileIn('fleet.db'));
    const read: unknown[] = [];
    const began = Date.now();
    const now = vi.spyOn(Date, 'now');
    for (const passed of [0, 90_000_000, 180_000_001]) {
      now.mockReturnValue(began + passed);
      await store.update('k', (known) => (read.push(known), 'a text'));
      await store.close?.();
    }
    expect(read).toEqual([undefined, 'a text', undefined]);
  });

  test('a file that cannot be opened rejects with its path', async () => {
    const missing = sqliteStore(fileIn('missing/fleet.db'));
    expect((await rejection<Error>(missing.update('k', text))).message).toMatch(
      /unable to open database file: .*missing.fleet\.db$/,
    );
    const path = fileIn('text.db');
    writeFileSync(path, 'this is no database, and long enough to be seen as none: '.repeat(40));
    expect((await rejection<Error>(sqliteStore(path).update('k', text))).message).toMatch(
      /not a database: .*text\.db$/,
    );
  });

  test('a disk that is full is named, and the store works again when there is room', async () => {
    const path = fileIn('fleet.db');
    const store = sqliteStore(path);
    await store.update('k', text);
    let pages = 3;
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      for (const each of [`PRAGMA max_page_count = ${pages}`, sql]) this.prepare(each).run();
    });
    const large = () => 'x'.repeat(1_000_000);
    const failure = await rejection<Error>(store.update('k', large));
    expect(failure.message).toBe(`database or disk is full: ${path}`);
    pages = 1_000_000;
    await store.update('k', large);
    await store.close?.();
  });

  test('a transaction of another process is waited for, for two seconds, and so is one that restores the file after a crash', async () => {
    const path = fileIn('fleet.db');
    const store = sqliteStore(path);
    const restoring = Object.assign(new Error('database is locked'), { errcode: 261 });
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => {
      throw restoring;
    });
    await store.update('k', text);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    // A machine that stands still for two seconds changes nothing.
    const elapsed = vi.spyOn(performance, 'now').mockReturnValue(0);
    setTimeout(() => other.exec('COMMIT'), 30);
    await store.update('k', text);
    other.exec('BEGIN IMMEDIATE');
    const moments = [0, 0, 1_000, 2_000, 2_001];
    elapsed.mockImplementation(() => moments.shift() ?? 9_999);
    expect((await rejection<Error>(store.update('k', text))).message).toMatch(/locked/);
    vi.restoreAllMocks();
    expect(moments).toEqual([]);
    other.close();
    await store.close?.();
  });

  test('a wrong path, and a runtime without node:sqlite, are named', async () => {
    expect(() => sqliteStore('')).toThrow(ConfigurationError);
    expect(() => sqliteStore(undefined as never)).toThrow('sqliteStore needs the path of a file');
    const store = sqliteStore(fileIn('fleet.db'));
    vi.stubGlobal('process', undefined);
    const update = store.update('k', text);
    vi.unstubAllGlobals();
    expect((await rejection<Error>(update)).message).toBe(
      'sqliteStore needs node:sqlite: Node 22.13 or newer',
    );
  });
});

test('redisStore takes a function and nothing else, its function resolves with a reply, and its update says that only a gate can use it', async () => {
  expect(() => redisStore({} as never)).toThrow(ConfigurationError);
  const stores: FleetStore[] = [redisStore(() => Promise.resolve(1)), memoryStore()];
  const problems = await checkFleetStore(stores[0]!);
  expect(problems[0]).toMatch(/no update: only createFleetGate can use it/);
  for (const reply of ['"OK"', null, {}]) {
    const store = redisStore(() => Promise.resolve(reply));
    const failure = await rejection<Error>(storeContract(store));
    expect(failure.message).toMatch(/must return the reply/);
  }
});

test('after any other failure of Redis nothing is sent again: the script may have run', async () => {
  let sent = 0;
  const store = redisStore(() => {
    sent += 1;
    return Promise.reject(new Error('connection lost'));
  });
  await rejection(storeContract(store));
  expect(sent).toBe(1);
});
