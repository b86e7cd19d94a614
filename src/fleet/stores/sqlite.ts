import type { DatabaseSync } from 'node:sqlite';
import { fromNode } from '../../contract/environments.js';
import { ConfigurationError } from '../../errors/errors.js';
import { ignoreFailure } from '../../utils/abort.js';
import { sqliteCode } from '../../utils/safe-reads.js';
import { keep } from '../rules/constants.js';
import type { FleetStore } from '../types.js';

/** Longest wait for another process's transaction, ms. They take far less than one. */
const longestBusy = 2_000;

/**
 * A store in one SQLite file, for several processes or worker threads on one machine. It needs no server, and the state
 * outlives a process.
 *
 * It needs `node:sqlite`, that is Node 22.13 or newer, or Deno, and a local disk. If SQLite fails, every operation of the store
 * fails: the gate then works without the store, and reports this with a `fleet-lost` event.
 *
 * @param path The path of the file. The file is created when it does not exist. Its folder must exist.
 * All processes must see the same file: use a fixed path of the application, not a folder that the system cleans. Do not delete it
 * while a process uses it.
 * @throws ConfigurationError when `path` is empty or not a string.
 *
 * @example
 * ```ts
 * import { createFleetGate, sqliteStore } from 'petstore-client/fleet';
 *
 * const gate = createFleetGate({ store: sqliteStore('/var/lib/my-app/petstore-fleet.db') });
 * await gate.close();
 * ```
 */
export function sqliteStore(path: string): FleetStore {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError('sqliteStore needs the path of a file');
  let database: DatabaseSync | undefined;
  return {
    async update(key, change) {
      try {
        // A file that could not be opened is tried again with the next operation.
        const opened = await retryBusy(() => (database ??= open(path)));
        await retryBusy(() => updateOnce(opened, key, change));
      } catch (failure) {
        const { message, errcode } = failure as Error & { errcode?: number };
        if (errcode === undefined) throw failure;
        throw new Error(`${message}: ${path}`, { cause: failure });
      }
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown becomes a rejection
    async close() {
      database?.close();
      database = undefined;
    },
  };
}

function open(path: string): DatabaseSync {
  const sqlite = fromNode((process) => process.getBuiltinModule('node:sqlite'));
  if (sqlite === undefined) throw new Error('sqliteStore needs node:sqlite: Node 22.13 or newer');
  const database = new sqlite.DatabaseSync(path);
  try {
    // A wait inside SQLite would block the event loop: retryBusy does not.
    database.exec(
      `PRAGMA busy_timeout = 0;
       PRAGMA journal_mode = WAL;
       PRAGMA synchronous = NORMAL;
       CREATE TABLE IF NOT EXISTS fleet (key TEXT PRIMARY KEY, state TEXT NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
    database.prepare('DELETE FROM fleet WHERE used_at < ?').run(Date.now() - keep);
    return database;
  } catch (failure) {
    database.close();
    throw failure;
  }
}

function updateOnce(
  database: DatabaseSync,
  key: string,
  change: Parameters<FleetStore['update']>[1],
): void {
  const now = Date.now();
  database.exec('BEGIN IMMEDIATE');
  try {
    const row = database.prepare('SELECT state FROM fleet WHERE key = ?').get(key);
    const text = change(row?.['state'] as string | undefined, now);
    database.prepare('INSERT OR REPLACE INTO fleet VALUES (?, ?, ?)').run(key, text, now);
    database.exec('COMMIT');
  } catch (failure) {
    // If the disk is full, SQLite has already rolled back.
    ignoreFailure(() => database.exec('ROLLBACK'));
    throw failure;
  }
}

/** SQLITE_BUSY: another process has the file for a moment, also to restore it after a crash. */
async function retryBusy<T>(work: () => T): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return work();
    } catch (failure) {
      if (sqliteCode(failure) !== 5 || performance.now() - began > longestBusy) throw failure;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    }
  }
}
