import { test } from 'vitest';
import type { FleetStore } from '../../src/fleet/index.js';
import { atEnd } from '../support/at-end.js';
import { loadExample } from '../support/example.js';
import { testStore } from '../support/fleet-contract.js';

/** PostgreSQL in this process. Its own declarations need those of Emscripten. */
interface Database {
  query(sql: string, values?: string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** A pool of the one connection that such a database has. */
function poolOf(database: Database) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async connect() {
      const before = last;
      const { promise, resolve: release } = Promise.withResolvers<undefined>();
      last = promise;
      await before;
      return {
        query: (sql: string, values?: string[]) => database.query(sql, values),
        release: () => release(undefined),
      };
    },
  };
}

test('PostgreSQL, as examples/fleet/postgres.mjs has it, does what a store must do', async () => {
  const { PGlite } = (await import(['@electric-sql', 'pglite'].join('/'))) as {
    PGlite: { create(): Promise<Database> };
  };
  const { postgresStore } = (await loadExample('fleet/postgres.mjs')) as {
    postgresStore: (pool: unknown) => FleetStore;
  };
  const database = await PGlite.create();
  atEnd(() => database.close());
  const columns = "key text primary key, state text not null default ''";
  await database.query(`create table fleet (${columns})`);
  await testStore(postgresStore(poolOf(database)));
});
