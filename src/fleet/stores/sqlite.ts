import type { DatabaseSync } from 'node:sqlite';
import { applyOperation } from '../rules/apply.js';
import { constants } from '../rules/constants.js';
import type { FleetOperation, FleetReply } from '../rules/operations.js';
import type { FleetStore } from '../types.js';

/** Longest wait for another process's transaction, ms. They take far less than one. */
const longestBusy = 2_000;

/**
 * A store in one SQLite file, for several processes on one machine. It needs no server, and the state outlives a process.
 *
 * It needs `node:sqlite`, that is Node 22.13 or newer, and a local disk. Where it fails, every operation of the store fails:
 * the gate then works as without a store, and reports it with a `fleet-lost` event.
 *
 * @param path The path of the file. The file is created when it does not exist. Its folder must exist.
 * @throws TypeError when `path` is empty or not a string.
 *
 * @example
 * ```ts
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { createFleetGate, sqliteStore } from 'petstore-client/fleet';
 *
 * const gate = createFleetGate({ store: sqliteStore(join(tmpdir(), 'petstore-fleet.db')) });
 * await gate.close();
 * ```
 */
export function sqliteStore(path: string): FleetStore {
  if (typeof path !== 'string' || path === '')
    throw new TypeError('sqliteStore needs the path of a file');
  let opened: Promise<DatabaseSync> | undefined;
  return {
    async run(key, operation) {
      opened ??= open(path);
      // A file that could not be opened is tried again with the next operation.
      const database = await opened.catch((failure: unknown) => {
        opened = undefined;
        throw failure;
      });
      return retryBusy(() => runOnce(database, key, operation));
    },
    async close() {
      const database = await opened;
      opened = undefined;
      database?.close();
    },
  };
}

async function open(path: string): Promise<DatabaseSync> {
  // Asked for when it is needed, and by no import: the entry loads where there is no Node, and bundlers leave it alone.
  const sqlite = (globalThis as { process?: Partial<NodeJS.Process> }).process?.getBuiltinModule?.(
    'node:sqlite',
  );
  if (sqlite === undefined) throw new Error('sqliteStore needs node:sqlite: Node 22.13 or newer');
  const database = new sqlite.DatabaseSync(path);
  // A wait inside SQLite would block the event loop: the retries below do not.
  database.exec('PRAGMA busy_timeout = 0');
  await retryBusy(() => {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(
      'CREATE TABLE IF NOT EXISTS fleet (key TEXT PRIMARY KEY, state TEXT NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID',
    );
    database.prepare('DELETE FROM fleet WHERE used_at < ?').run(Date.now() - constants.keep);
  });
  return database;
}

function runOnce(database: DatabaseSync, key: string, operation: FleetOperation): FleetReply {
  const now = Date.now();
  database.exec('BEGIN IMMEDIATE');
  try {
    const row = database.prepare('SELECT state FROM fleet WHERE key = ?').get(key);
    const { text, reply } = applyOperation(row?.['state'] as string | undefined, operation, now);
    if (text !== undefined)
      database
        .prepare(
          'INSERT INTO fleet VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET state = excluded.state, used_at = excluded.used_at',
        )
        .run(key, text, now);
    database.exec('COMMIT');
    return reply;
  } catch (failure) {
    database.exec('ROLLBACK');
    throw failure;
  }
}

/** SQLITE_BUSY: another process has the file for a moment. */
async function retryBusy<T>(work: () => T): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return work();
    } catch (failure) {
      const isBusy = (failure as { errcode?: number }).errcode === 5;
      if (!isBusy || performance.now() - began > longestBusy) throw failure;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    }
  }
}
