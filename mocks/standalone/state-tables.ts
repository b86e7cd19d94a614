import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseJson, stringifyJson } from '../../src/contract/json.js';
import type { MockPet } from '../pets/pet.js';
import type { PetIndex, StoreObserver, StoreState } from '../pets/pet-store.js';
import { contextOf } from '../service/context.js';
import { applyUsage, keyRecord, readAccount } from '../service/snapshot/keys.js';
import { readStore } from '../service/snapshot/pets.js';
import { checkStore } from '../service/snapshot/schema.js';
import type { KeySnapshot } from '../service/snapshot/snapshot-types.js';
import type { MockService } from '../service/types.js';

/** Each row holds a record as JSON, so that a new field needs no new column, and times may have fractions. */
const tables = `
  CREATE TABLE pets (id INTEGER PRIMARY KEY, pet TEXT NOT NULL) STRICT;
  CREATE TABLE keys (key TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE service (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), record TEXT NOT NULL) STRICT;
`;

/** The state besides pets and keys. `now` only on a virtual clock. */
interface ServiceRecord {
  readonly nextId: number | bigint;
  readonly now?: number;
}

/** The tables of a state file. Pets are written as they change, keys and the rest by `save`. */
export class StateTables implements StoreObserver {
  readonly #database: DatabaseSync;
  readonly #putPet: StatementSync;
  readonly #removePet: StatementSync;
  readonly #putKey: StatementSync;
  readonly #removeKey: StatementSync;
  readonly #putService: StatementSync;
  /** The records that the file holds, so that only what has changed is written. */
  readonly #savedKeys = new Map<string, string>();
  #savedService = '';

  /** @param isNew whether the tables are to be created. */
  constructor(database: DatabaseSync, isNew: boolean) {
    if (isNew) database.exec(tables);
    this.#database = database;
    this.#putPet = database.prepare('INSERT OR REPLACE INTO pets VALUES (?, ?)');
    this.#removePet = database.prepare('DELETE FROM pets WHERE id = ?');
    this.#putKey = database.prepare(
      'INSERT INTO keys VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record',
    );
    this.#removeKey = database.prepare('DELETE FROM keys WHERE key = ?');
    this.#putService = database.prepare('INSERT OR REPLACE INTO service VALUES (1, ?)');
  }

  /** Loads the content of the file into `service`. @throws Error when a row is damaged. */
  restore(service: MockService): void {
    const rows = (sql: string) =>
      (this.#database.prepare(sql).all() as { record: string }[]).map(({ record }) => record);
    const keys = rows('SELECT record FROM keys ORDER BY rowid').map((text) => {
      const key = JSON.parse(text) as KeySnapshot;
      this.#savedKeys.set(key.key, text);
      return key;
    });
    const [record = '{"nextId":1}'] = rows('SELECT record FROM service');
    const { nextId, now } = parseJson(record) as ServiceRecord;
    const { assumptions, stores, random, registry, limiter, clock } = contextOf(service);
    if (clock.kind === 'virtual' && now !== undefined) clock.set(now);
    const pets = rows('SELECT pet AS record FROM pets ORDER BY id');
    const store = checkStore({ nextId, pets: pets.map((pet) => parseJson(pet)) });
    const shared = readStore(store, assumptions, random);
    const accounts = keys.map((key) => readAccount(key, assumptions));
    stores.load({ shared, own: new Map() });
    registry.load({ accounts, anonymous: registry.save().anonymous });
    applyUsage(limiter, accounts, keys, clock.now() + assumptions.clockSkew);
  }

  put(pet: MockPet): void {
    this.#putPet.run(pet.id, stringifyJson(pet));
  }

  remove(id: number | bigint): void {
    this.#removePet.run(id);
  }

  /** Writes the pets that differ. Pets are compared as objects, because they are never changed in place. */
  replace(before: StoreState, after: StoreState): void {
    if (before.all === after.all) return;
    this.begin();
    try {
      if (after.all.length === 0) this.#database.exec('DELETE FROM pets');
      else this.#writeDifference(before.all, after.all);
      this.commit();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Writes a whole service into new tables. */
  saveAll(service: MockService): void {
    this.#writeDifference([], contextOf(service).stores.save().shared.all);
    this.save(service);
  }

  begin(): void {
    this.#database.exec('BEGIN IMMEDIATE');
  }

  commit(): void {
    this.#database.exec('COMMIT');
  }

  rollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already, as it does when the disk is full.
    }
  }

  /** Writes the keys that have changed (one, or all), and the other state of the service. */
  save(service: MockService, key?: string): void {
    const { clock, keys } = service;
    const { stores, registry, limiter, assumptions } = contextOf(service);
    const { nextId } = stores;
    const now = clock.now() + assumptions.clockSkew;
    const recordOf = (name: string) => keyRecord(registry.find(name)!, limiter, now);
    const record: ServiceRecord = {
      nextId,
      ...(clock.kind === 'virtual' && { now: clock.now() }),
    };
    this.#saveService(stringifyJson(record));
    if (key === undefined) {
      for (const known of this.#savedKeys.keys()) if (!keys.has(known)) this.#forgetKey(known);
      for (const each of registry.names()) this.#saveKey(recordOf(each));
    } else if (keys.has(key)) this.#saveKey(recordOf(key));
  }

  #saveService(record: string): void {
    if (record === this.#savedService) return;
    this.#putService.run(record);
    this.#savedService = record;
  }

  #saveKey(key: KeySnapshot): void {
    const record = JSON.stringify(key);
    if (this.#savedKeys.get(key.key) === record) return;
    this.#putKey.run(key.key, record);
    this.#savedKeys.set(key.key, record);
  }

  #forgetKey(key: string): void {
    this.#removeKey.run(key);
    this.#savedKeys.delete(key);
  }

  /** Both lists must be in the order of their ids. */
  #writeDifference(before: PetIndex, after: PetIndex): void {
    let at = 0;
    for (const pet of after) {
      while (at < before.length && before[at]!.id < pet.id) this.remove(before[at++]!.id);
      const old = before[at]?.id === pet.id ? before[at++] : undefined;
      if (old !== pet) this.put(pet);
    }
    for (; at < before.length; at++) this.remove(before[at]!.id);
  }
}
