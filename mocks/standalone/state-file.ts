import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { isControlPath } from '../control/control.js';
import type { Worlds } from '../control/worlds.js';
import { worldHeader } from '../control/worlds.js';
import { apiKeyOf } from '../limits/key-registry.js';
import type { StoreObserver } from '../pets/pet-store.js';
import { storesOf } from '../service/context.js';
import type { MockService } from '../service/types.js';
import type { App, PortRequest } from './port-request.js';
import { StateTables } from './state-tables.js';

/** The SQLite application id, which identifies a state file of this program. */
const applicationId = 0x70657473;
const formatVersion = 2;

/** An open state file. It is locked for other processes. */
export interface State {
  /** Whether the file was new. */
  readonly isNew: boolean;
  /** Wraps `app`: the changes of a request are in the file before its response is sent. */
  keeping(app: App): App;
  close(): void;
}

/**
 * Opens `file`, loads its content into the first world, and writes each change of that world to it. A new file begins
 * with the state of the service.
 *
 * @throws Error when the file is not a state file of this program, is damaged, in use, or cannot be written. It is left unchanged then.
 */
export function openState(file: string, worlds: Worlds): State {
  const database = open(file);
  let tables: StateTables;
  let isNew: boolean;
  try {
    isNew = lockAndCheck(database);
    // One transaction: if the process ends in the middle, the file still counts as new.
    if (isNew) database.exec('BEGIN IMMEDIATE');
    tables = new StateTables(database, isNew);
    if (!isNew) tables.restore(worlds.first);
    else {
      tables.saveAll(worlds.first);
      database.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; COMMIT`,
      );
    }
  } catch (error) {
    database.close();
    throw new Error(
      `${file} cannot be used as state: ${explain(error)} It was left as it is; move it away, or name another file.`,
      { cause: error },
    );
  }
  const observer = createObserver(tables, file);
  storesOf(worlds.first).observe(observer);
  worlds.onReplace = (name, before, after) => {
    if (name !== '') return;
    storesOf(before).observe(undefined);
    storesOf(after).observe(observer);
  };
  return {
    isNew,
    keeping: (app) => saveAfterEachRequest(app, tables, worlds, file),
    close: () => database.close(),
  };
}

/** An observer that writes changes to the file; its errors name the file and the reason. */
function createObserver(tables: StateTables, file: string): StoreObserver {
  const attempt = (write: () => void) => {
    try {
      write();
    } catch (error) {
      throw new Error(`${file} could not be written: ${explain(error)}`, { cause: error });
    }
  };
  return {
    put: (pet) => attempt(() => tables.put(pet)),
    remove: (id) => attempt(() => tables.remove(id)),
    replace: (before, after) => attempt(() => tables.replace(before, after)),
    begin: () => attempt(() => tables.begin()),
    commit: () => attempt(() => tables.commit()),
    rollback: () => tables.rollback(),
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
      `${file} cannot be opened: there is no folder ${folder}. Create it first, or name another file.`,
    );
  for (const needed of existsSync(file) ? [file, folder] : [folder])
    if (!isWritable(needed))
      throw new Error(
        `${file} cannot be opened: ${needed} is read-only. Change its permissions, or name another file.`,
      );
  try {
    // An absolute path, because names such as ":memory:" have a special meaning in SQLite.
    return new library.DatabaseSync(resolve(file));
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${(error as Error).message}.`, { cause: error });
  }
}

/** The folder must be writable too, because SQLite writes its log there. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Locks the file for this process, and checks that it is an undamaged state file. True when it is new. */
function lockAndCheck(database: DatabaseSync): boolean {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const value = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  const isNew =
    value('SELECT count(*) FROM sqlite_schema') === 0 && value('PRAGMA application_id') === 0;
  if (!isNew) {
    if (value('PRAGMA application_id') !== applicationId)
      throw new Error('it is a database of another program.');
    if (value('PRAGMA user_version') !== formatVersion)
      throw new Error('another version of petstore-mock wrote it.');
    const health = value('PRAGMA integrity_check');
    if (health !== 'ok') throw new Error(`it is damaged (${String(health)}).`);
  }
  // With a write-ahead log, committed changes survive a crash of this process.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT');
  return isNew;
}

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/database is locked/.test(message)) return 'another petstore-mock has it open.';
  if (/not a database/.test(message)) return 'it is not a database.';
  if (/malformed|corrupt/.test(message)) return `it is damaged (${message}).`;
  if (/full|disk I\/O/.test(message)) return `the disk is full, or fails (${message}).`;
  return /\.$/.test(message) ? message : `${message}.`;
}

/**
 * Saves the quota that a request has used, and the changes of a control API request, before the response is sent.
 * Pets are in the file already. A request does not fail when its quota cannot be saved.
 */
function saveAfterEachRequest(app: App, tables: StateTables, worlds: Worlds, file: string): App {
  let wasSaved = true;
  return async (request) => {
    let answer: Awaited<ReturnType<App>>;
    try {
      answer = await app(request);
    } catch (error) {
      // The client has closed the connection, but the request was counted.
      save(request);
      throw error;
    }
    return save(request) ?? answer;
  };

  /** The response to a change of the control API that could not be saved. */
  function save(request: PortRequest): Response | undefined {
    try {
      saveChanges(tables, worlds.first, request);
      wasSaved = true;
      return undefined;
    } catch (error) {
      const message = `${file} could not be written: ${explain(error)} Changes of keys, quotas and the clock are lost with a restart.`;
      if (wasSaved) process.stderr.write(`petstore-mock: ${message}\n`);
      wasSaved = false;
      if (!isControlPath(request.path)) return undefined;
      return Response.json({ code: 'state_not_saved', message, status: 500 }, { status: 500 });
    }
  }
}

function saveChanges(tables: StateTables, service: MockService, request: PortRequest): void {
  const { headers, method } = request;
  if (headers.get(worldHeader)) return;
  if (isControlPath(request.path)) {
    if (method !== 'GET') tables.save(service);
    return;
  }
  const key = apiKeyOf(headers.get('Authorization'));
  if (key !== undefined && service.keys.has(key)) tables.save(service, key);
}
