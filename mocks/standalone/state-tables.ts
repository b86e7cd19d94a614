import type { DatabaseSync } from 'node:sqlite';
import type { PlanName, Quota } from '../../src/contract/rate-limits.js';
import type { MockKey, WindowName } from '../limits/key.js';
import type { MockPet, SeedPet } from '../pets/pet.js';
import type { MockService } from '../service/types.js';

/** SQLite's INTEGER is an int64, so ids are exact. A revoked key has no row. */
export const tables = `
  CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT) STRICT;
  CREATE TABLE keys (key TEXT PRIMARY KEY, plan TEXT NOT NULL, limits TEXT NOT NULL, banned_until INTEGER,
    minute_used INTEGER NOT NULL, minute_reset INTEGER NOT NULL, day_used INTEGER NOT NULL, day_reset INTEGER NOT NULL) STRICT;
  CREATE TABLE clock (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), now INTEGER NOT NULL) STRICT;
`;

/** Puts what the file holds into `service`. @throws Error when a row breaks the contract. */
export function restoreFrom(database: DatabaseSync, service: MockService): void {
  const clock = database.prepare('SELECT now FROM clock').get() as { now: number } | undefined;
  if (service.clock.kind === 'virtual' && clock) service.clock.set(clock.now);
  const pets = database.prepare(
    'SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id',
  );
  pets.setReadBigInts(true);
  service.pets.clear();
  service.pets.seed((pets.all() as unknown as PetRow[]).map(fromRow));
  const rows = database.prepare('SELECT * FROM keys').all() as unknown as KeyRow[];
  const saved = new Set(rows.map(({ key }) => key));
  for (const { key } of service.keys.list()) if (!saved.has(key)) service.keys.revoke(key);
  for (const row of rows) restoreKey(service, row);
}

interface PetRow {
  id: bigint;
  name: string;
  categoryId: bigint;
  status: string | null;
}

interface KeyRow {
  key: string;
  plan: string;
  limits: 'on' | 'off';
  banned_until: number | null;
  minute_used: number;
  minute_reset: number;
  day_used: number;
  day_reset: number;
}

function fromRow({ id, name, categoryId, status }: PetRow): SeedPet {
  return {
    id,
    name,
    categoryId,
    ...(status !== null && { status: status as NonNullable<SeedPet['status']> }),
  };
}

function restoreKey(service: MockService, row: KeyRow): void {
  const plan = JSON.parse(row.plan) as PlanName | Quota;
  const key = service.keys.add(row.key, { plan, limits: row.limits });
  const now = service.clock.now();
  const spent = (window: WindowName, used: number, resetAt: number) => {
    if (resetAt > now && used > 0)
      key.setRemaining(window, Math.max(0, key.usage[window].limit - used));
  };
  spent('minute', row.minute_used, row.minute_reset);
  spent('day', row.day_used, row.day_reset);
  if (row.banned_until !== null && row.banned_until > now) key.ban(row.banned_until - now);
}

/** Writes pets down. */
export function savePets(database: DatabaseSync, pets: readonly MockPet[]): void {
  const insert = database.prepare(
    'INSERT OR REPLACE INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)',
  );
  for (const { id, name, categoryId, status } of pets)
    insert.run(id, name, categoryId, status ?? null);
}

/** Writes down what one key has used, and the time. */
export function saveKey(
  database: DatabaseSync,
  service: MockService,
  key: string | undefined,
): void {
  if (key === undefined || !service.keys.has(key)) return;
  saveKeys(database, service, [service.keys.get(key)]);
}

/** Writes everything down, in one piece. */
export function saveAll(database: DatabaseSync, service: MockService): void {
  database.exec('BEGIN; DELETE FROM pets; DELETE FROM keys');
  savePets(database, service.pets.list());
  saveKeys(database, service, service.keys.list());
  database.exec('COMMIT');
}

function saveKeys(database: DatabaseSync, service: MockService, keys: readonly MockKey[]): void {
  const insert = database.prepare('INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const { key, plan, quota, limits, bannedUntil, usage } of keys) {
    const { minute, day } = usage;
    const name = JSON.stringify(plan === 'custom' ? quota : plan);
    insert.run(
      key,
      name,
      limits,
      bannedUntil ?? null,
      minute.used,
      minute.resetAt,
      day.used,
      day.resetAt,
    );
  }
  database.prepare('INSERT OR REPLACE INTO clock VALUES (1, ?)').run(service.clock.now());
}
