import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isControlPath } from '../control/control.js';
import { worldHeader, type Worlds } from '../control/worlds.js';
import { mayHaveBody } from '../http/request.js';
import { explainHeader, visible, type ServiceResponse } from '../http/response.js';
import type { Snapshot } from '../service/snapshot.js';
import { readJson } from '../utils/json.js';
import { attempt } from '../utils/options.js';
import type { App, PortRequest } from './exchange.js';

/** An open state file. It is locked for other processes. */
export interface State {
  /** Whether the file was new. */
  readonly isNew: boolean;
  /** Wraps `app`: the changes of a request are on the disk before its response is sent. */
  keeping(app: App): App;
  /** Saves once more, because a slow body moves a virtual clock after its response has begun. */
  close(): Promise<void>;
}

/**
 * Loads the file `named`, the JSON of a snapshot, into the first world, and writes each change of that world to it. A new file begins with
 * the state of the service.
 *
 * @throws Error, as a rejection, when the file is no snapshot, in use, or cannot be written. It is left unchanged then.
 */
export async function openState(named: string, worlds: Worlds): Promise<State> {
  // A link stays one: it is not replaced by the new file, and the lock is that of the file behind it.
  const file = attempt(() => realpathSync(named)) ?? named;
  const isNew = !existsSync(file);
  checkWritable(file, isNew);
  const close = takeLock(file);
  const save = createWriter(file, () => JSON.stringify(worlds.first.snapshot()));
  try {
    if (isNew) await save();
    else worlds.first.restore(read(file));
  } catch (error) {
    close();
    throw unusable(file, `${(error as Error).message}.`, error);
  }
  return {
    isNew,
    keeping: (app) => saveAfterEachRequest(app, save, file),
    close: () => save().then(close, close),
  };
}

const unusable = (file: string, why: string, cause: unknown) =>
  new Error(
    `${file} cannot be used as state: ${why} It was left as it is; move it away, or name another file.`,
    { cause },
  );

function checkWritable(file: string, isNew: boolean): void {
  const folder = dirname(file);
  for (const needed of isNew ? [folder] : [file, folder])
    try {
      accessSync(needed, constants.W_OK);
    } catch (error) {
      const why = existsSync(needed)
        ? `${needed} is read-only. Change its permissions`
        : `there is no folder ${needed}. Create it first`;
      throw new Error(`${file} cannot be opened: ${why}, or name another file.`, { cause: error });
    }
}

/** Creates the file that names the process which uses the state, and gives what removes it. That of a process that has ended is taken over. */
function takeLock(file: string): () => void {
  const lock = `${file}.lock`;
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw unusable(file, message, error);
    const owner = Number(readFileSync(lock, 'utf8')) || NaN;
    // After a restart of a container, this process may have the same number.
    if (owner !== process.pid && isRunning(owner)) {
      const why = `another petstore-mock (process ${owner}) has it open. If there is none, remove ${lock}.`;
      throw unusable(file, why, error);
    }
    writeFileSync(lock, String(process.pid));
  }
  return () => rmSync(lock, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // On Linux, the number of an ended process stays in use until its parent has waited for it: its state is Z then.
  return !attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))?.includes(') Z ');
}

/** @throws TypeError for anything else than a snapshot. */
function read(file: string): Snapshot {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1').startsWith('SQLite format 3'))
    throw new TypeError(
      'it is a database, as an earlier version wrote it: now the file is JSON, the response of GET /_mock/snapshot',
    );
  // Otherwise the names of a Latin-1 file would silently lose their letters.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  return readJson(text, (why) => new TypeError(`it is not JSON: ${why}`)) as Snapshot;
}

/** A function that writes the file, and resolves when all that had changed before its call is on the disk. */
function createWriter(file: string, textOf: () => string): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = async () => {
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await replaceFile(file, textOf());
  };
  // One write for all changes that wait for the one before it.
  return () => (next ??= start());
}

/** A process that ends in the middle leaves the old file, or the new one, whole. */
async function replaceFile(file: string, text: string): Promise<void> {
  const written = `${file}.new`;
  await writeFile(written, text, { flush: true });
  await rename(written, file);
}

/**
 * A request whose changes cannot be written is answered 501: they are in memory, and written with the next ones. A request
 * that only reads, or that is refused, is answered, although its quota could not be saved.
 */
function saveAfterEachRequest(app: App, save: () => Promise<void>, file: string): App {
  let wasSaved = true;
  const failed = (error: unknown, { method }: PortRequest, unsent: ServiceResponse | undefined) => {
    const message = `${file} could not be written: ${(error as Error).message}. Changes are in memory only, until it can.`;
    if (wasSaved) process.stderr.write(`petstore-mock: ${message}\n`);
    wasSaved = false;
    if (!mayHaveBody(method) || Number(unsent?.status) >= 400) return undefined;
    const headers = new Headers(unsent?.headers);
    headers.delete('Content-Length');
    headers.set('Content-Type', 'application/json');
    headers.set(explainHeader, visible(message));
    const status = 501;
    return Response.json({ code: 'state_not_saved', message, status }, { status, headers });
  };
  return async (request) => {
    const { headers, method, path } = request;
    const isElsewhere = headers.get(worldHeader) || (!mayHaveBody(method) && isControlPath(path));
    if (isElsewhere) return app(request);
    const answer = app(request);
    // Saved even if the client has closed the connection, because the request was counted.
    const answered = await answer.catch(() => undefined);
    const problem = await save().then(
      () => void (wasSaved = true),
      (error: unknown) => failed(error, request, answered),
    );
    return problem ?? answer;
  };
}
