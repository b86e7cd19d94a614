import type { DatabaseSync } from 'node:sqlite';
import { fromNode } from '../../contract/environments.js';
import { ConfigurationError, PetStoreError } from '../../errors/errors.js';
import { sqliteCode } from '../../utils/safe-reads.js';
import type { BulkJournal } from './journal.js';

/** Another run uses the journal. Nothing was sent: try again when that run has ended. */
export class JournalInUseError extends PetStoreError {
  static override readonly kind: string = 'JournalInUseError';
  declare readonly name: 'JournalInUseError';
}

/**
 * The index repeats every column, so that `integrity_check` compares each entry with its copy: SQLite has no checksums. The
 * constraints refuse what two equal damages could leave.
 */
const schema = `
  CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    row TEXT NOT NULL CHECK (row = '' OR json_valid(row)),
    state TEXT NOT NULL CHECK (state IN ('sending', 'created', 'rejected', 'unsent', 'unknown', 'held')),
    id TEXT,
    reason TEXT
  );
  CREATE INDEX copies ON entries (row, state, id, reason);`;

/** The error codes of SQLite that have a meaning here: any other is that of a file which is no journal. */
const [busy, corrupt, cannotOpen] = [5, 11, 14];
/** With another journal, each row would be sent again. */
const restart = 'begin a new journal with only the rows whose pets are not in the service';
const noJournal = `it is not a journal of createPets: pass another path. If it was one, its beginning is damaged: ${restart}`;
const noSpace = 'the disk is full or fails: free some space, and run again';
const advice: Readonly<Record<number, string>> = {
  8: 'it cannot be written: change the permissions of the file and its folder',
  10: noSpace,
  [corrupt]: `it is damaged. Do not use an older copy, which does not know what was sent since: ${restart}`,
  13: noSpace,
  [cannotOpen]:
    'it cannot be opened: pass the path of a file, in a folder that exists and that this program may write',
};

/**
 * A journal in an SQLite file. The run has it alone until it ends, or its process does: the locks are those of the kernel.
 *
 * @throws `ConfigurationError` when the file cannot be used, {@link JournalInUseError} when another run has it.
 */
export function openJournal(name: string): BulkJournal {
  const node = nodeModules();
  const path = node.paths.resolve(name);
  // A second file is locked too: its lock stays when the journal is moved, or when this process reads and closes the journal.
  const locked: DatabaseSync[] = [];
  const close = () => locked.splice(0).forEach((database) => database.close());
  const lock = (file: string) => {
    const database = new node.sqlite.DatabaseSync(file);
    locked.unshift(database);
    // Of two runs that begin at one moment, each may find the file busy for an instant: the timeout lets one of them have it. In the
    // exclusive mode, which keeps every lock, both would wait for the other's shared lock, and give up.
    database.exec('PRAGMA busy_timeout = 100; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE');
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return database;
  };
  return guarded(path, () => {
    try {
      lock(`${realPath(path, node)}-lock`);
      if (!node.fs.existsSync(path)) create(path, node);
      return journalIn(lock(path), path, close, node);
    } catch (failure) {
      close();
      throw failure;
    }
  });
}

/** Without symbolic links, so that one file has one lock. */
function realPath(path: string, { fs, paths }: NodeModules): string {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return fs.realpathSync(path);
  return paths.join(fs.realpathSync(paths.dirname(path)), paths.basename(path));
}

/** A new journal appears under its name with its tables, or not at all. */
function create(path: string, { fs, sqlite }: NodeModules): void {
  const fresh = `${path}-new`;
  for (const rest of [fresh, `${path}-journal`]) fs.rmSync(rest, { force: true });
  const database = new sqlite.DatabaseSync(fresh);
  database.exec(schema);
  database.close();
  fs.renameSync(fresh, path);
}

function journalIn(
  database: DatabaseSync,
  path: string,
  unlock: () => void,
  { fs }: NodeModules,
): BulkJournal {
  const { integrity_check: problem } = database.prepare('PRAGMA integrity_check(1)').get()!;
  if (problem !== 'ok') throw Object.assign(new Error(String(problem)), { errcode: corrupt });
  const entries = database.prepare('SELECT row, state, id, reason FROM entries ORDER BY place');
  const all = entries.all() as never;
  database.exec('COMMIT');
  const insert = database.prepare(
    'INSERT INTO entries (row, state, id, reason) VALUES (?, ?, ?, ?)',
  );
  /** Device and number of the file. */
  const identify = () => {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const opened = identify();
  const kept = `${path}-kept-${Date.now()}`;
  // A file that was deleted, moved or replaced can still be written, but the next run would not find it: it gets a copy.
  const checkPlace = (copy?: (target: string) => void) => {
    const identity = identify();
    if (identity === opened) return;
    const target = identity === undefined ? path : kept;
    copy?.(target);
    const next = identity === undefined ? '' : `put that file in place of ${path}, and `;
    throw new ConfigurationError(
      `the journal ${path} was deleted, moved or replaced during the run. At its end, the run writes all that it knows to ${target}: ${next}run again`,
    );
  };
  return {
    read: () => all,
    // On the disk when this returns. An outcome is also kept for a file that is no longer in its place.
    write: ({ row, state, id, reason }) =>
      guarded(path, () => {
        if (state === 'sending') checkPlace();
        insert.run(row, state, id ?? null, reason ?? null);
      }),
    close: () =>
      guarded(path, () => {
        try {
          checkPlace((target) => database.prepare('VACUUM INTO ?').run(target));
        } finally {
          unlock();
        }
      }),
  };
}

type NodeModules = ReturnType<typeof nodeModules>;

/** Without an import, so that a page can bundle this entry: bundlers would look for the modules. */
function nodeModules() {
  const load = fromNode((process) => process.getBuiltinModule.bind(process));
  const sqlite = load?.('node:sqlite');
  if (sqlite === undefined)
    throw new ConfigurationError(
      'a journal in a file needs node:sqlite, that is Node 22.13 or newer, or Deno: elsewhere, pass a BulkJournal of your own',
    );
  return { sqlite, fs: load!('node:fs'), paths: load!('node:path') };
}

/** Does work on a journal. Its errors have the path, and what to do. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    if (failure instanceof PetStoreError) throw failure;
    const cause = failure as Error;
    // Any failure that is not one of SQLite is one of the path.
    const code = sqliteCode(failure) ?? cannotOpen;
    if (code === busy)
      throw new JournalInUseError(
        `the journal ${path} is in use by another run: wait until it ends`,
        { cause },
      );
    throw new ConfigurationError(
      `the journal ${path} cannot be used: ${advice[code] ?? noJournal} (${cause.message})`,
      { cause },
    );
  }
}
