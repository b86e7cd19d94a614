import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { restoreFrom, saveAll, saveKey, savePets, tables } from './state-tables.js';
import type { MockService } from '../service/types.js';

/** Says whose file it is: SQLite keeps a number for that in the header. */
const applicationId = 0x70657473;
const formatVersion = 1;

/** A state file that is open: this process has it alone. */
export interface State {
  /** Whether the file was new. */
  readonly fresh: boolean;
  /** `app`, with everything that it changes written down before it answers. */
  keeping(app: (request: Request) => Promise<Response>): (request: Request) => Promise<Response>;
  close(): void;
}

/**
 * Opens `file`, puts what it holds into `service`, and keeps it up to date from then on. A new file starts with what `service` has.
 *
 * @throws Error when the file is no state of this program, is damaged, or is in use. It is left as it is then.
 */
export function openState(file: string, service: MockService): State {
  const database = open(file);
  let fresh: boolean;
  try {
    fresh = claim(database);
    if (fresh) saveAll(database, service);
    else restoreFrom(database, service);
  } catch (error) {
    database.close();
    throw new Error(
      `${file} cannot be used as state: ${explained(error)} It was left as it is; move it away, or name another file.`,
      {
        cause: error,
      },
    );
  }
  hookPets(database, service);
  return {
    fresh,
    keeping: (app) => async (request) => {
      try {
        return await app(request);
      } finally {
        keep(database, service, request);
      }
    },
    close: () => database.close(),
  };
}

function open(file: string): DatabaseSync {
  let library: typeof sqlite;
  try {
    library = createRequire(import.meta.url)('node:sqlite') as typeof sqlite;
  } catch (error) {
    throw new Error(
      `--state needs the SQLite of Node 22.13 or newer; this is Node ${process.versions.node}.`,
      { cause: error },
    );
  }
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new Error(
      `${file} cannot be opened: there is no folder ${folder}. Make it first, or name another file.`,
    );
  try {
    return new library.DatabaseSync(file);
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${(error as Error).message}.`, { cause: error });
  }
}

/** Takes the file for this process alone, checks that it is ours and whole, and makes its tables where it is new. */
function claim(database: DatabaseSync): boolean {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const value = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  const fresh =
    value('SELECT count(*) FROM sqlite_schema') === 0 && value('PRAGMA application_id') === 0;
  if (!fresh) {
    if (value('PRAGMA application_id') !== applicationId)
      throw new Error('it is a database of another program.');
    if (value('PRAGMA user_version') !== formatVersion)
      throw new Error('another version of petstore-mock wrote it.');
    const health = value('PRAGMA integrity_check');
    if (health !== 'ok') throw new Error(`it is damaged (${String(health)}).`);
  }
  // What a process has written is safe from its own end at any moment with a log ahead of the file.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT');
  if (fresh)
    database.exec(
      `BEGIN; ${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; COMMIT`,
    );
  return fresh;
}

function explained(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/database is locked/.test(message)) return 'another petstore-mock has it open.';
  if (/not a database/.test(message)) return 'it is not a database.';
  if (/malformed|corrupt/.test(message)) return `it is damaged (${message}).`;
  return message;
}

/** A pet is written down where it is made, so that no fault on the way out can lose it. */
function hookPets(database: DatabaseSync, service: MockService): void {
  service.override('createPet', async (_input, next) => {
    const pet = await next();
    savePets(database, [pet]);
    return pet;
  });
}

function keep(database: DatabaseSync, service: MockService, request: Request): void {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith('/_mock/'))
    return saveKey(
      database,
      service,
      /^Bearer (.+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1],
    );
  if (request.method === 'GET') return;
  if (pathname === '/_mock/reset') hookPets(database, service); // a reset takes overrides away
  saveAll(database, service);
}
