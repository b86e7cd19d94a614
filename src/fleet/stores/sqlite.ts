import type { DatabaseSync } from 'node:sqlite';
import { applyOperation } from '../rules/apply.js';
import { constants } from '../rules/constants.js';
import type { FleetOperation, FleetReply } from '../rules/operations.js';
import type { FleetStore } from '../types.js';

/** An open file, and what tells it and the two files beside it from others of the same name. */
interface Opened {
  readonly database: DatabaseSync;
  readonly identities: readonly string[];
}

/** Longest wait for another process's transaction, ms. They take far less than one. */
const longestBusy = 2_000;

/**
 * A store in one SQLite file, for several processes on one machine. It needs no server, and the state outlives a process.
 *
 * It needs `node:sqlite`, that is Node 22.13 or newer, and a local disk. Where it fails, every operation of the store fails:
 * the gate then works as without a store, and reports it with a `fleet-lost` event. When the file is deleted or replaced, the
 * processes open the new one with their next operation, and meet there again.
 *
 * @param path The path of the file. The file is created when it does not exist. Its folder must exist.
 * All processes must see the same file: use a fixed path of the application, not a folder that the system cleans.
 * @throws TypeError when `path` is empty or not a string.
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
    throw new TypeError('sqliteStore needs the path of a file');
  let opened: Promise<Opened> | undefined;
  return {
    async run(key, operation) {
      const current = opened;
      if (current !== undefined) {
        const before = await current;
        // A process that kept a deleted file open would be alone in it: the others, and those that start later, have a new one.
        if (opened === current && isReplaced(path, before)) {
          opened = undefined;
          leave(path, before);
        }
      }
      // A file that could not be opened is tried again with the next operation.
      const { database } = await (opened ??= open(path).catch((failure: unknown) => {
        opened = undefined;
        throw namingPath(failure, path);
      }));
      return retryBusy(() => runOnce(database, key, operation));
    },
    async close() {
      const before = await opened;
      opened = undefined;
      before?.database.close();
    },
  };
}

const suffixes = ['', '-wal', '-shm'];

function identitiesOf(path: string): string[] {
  const { statSync } = process.getBuiltinModule('node:fs');
  return suffixes.map((suffix) => {
    const stats = statSync(path + suffix, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
  });
}

function isReplaced(path: string, { identities }: Opened): boolean {
  return identitiesOf(path).some((identity, at) => identity !== identities[at]);
}

/** Closes a file that is no longer at its path. SQLite would read its log into the new file, so what is left of it is deleted. */
function leave(path: string, { database, identities }: Opened): void {
  const now = identitiesOf(path);
  if (now[0] !== identities[0])
    for (const [at, suffix] of suffixes.entries())
      if (now[at] === identities[at])
        process.getBuiltinModule('node:fs').rmSync(path + suffix, { force: true });
  database.close();
}

function namingPath(failure: unknown, path: string): unknown {
  const { message, errcode } = failure as Error & { errcode?: number };
  return errcode === undefined ? failure : new Error(`${message}: ${path}`, { cause: failure });
}

async function open(path: string): Promise<Opened> {
  // Asked for when it is needed, and by no import: the entry loads where there is no Node, and bundlers leave it alone.
  const sqlite = (globalThis as { process?: Partial<NodeJS.Process> }).process?.getBuiltinModule?.(
    'node:sqlite',
  );
  if (sqlite === undefined) throw new Error('sqliteStore needs node:sqlite: Node 22.13 or newer');
  const database = new sqlite.DatabaseSync(path);
  try {
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
    return { database, identities: identitiesOf(path) };
  } catch (failure) {
    database.close();
    throw failure;
  }
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
