import type * as NodeFs from 'node:fs';
import type * as NodePath from 'node:path';
import { ConfigurationError } from '../../errors/errors.js';
import { journalError } from './file-errors.js';
import { encode, encodeLine, header, readText } from './format.js';
import type { BulkJournal, JournalEntry } from './journal.js';
import { realPath, takeLock } from './lock.js';

/**
 * A journal in a file, one line of JSON an entry. It survives a crash and a power failure: an entry `sending` is on the disk
 * before the row is sent. Needs Node, Bun or Deno.
 *
 * Each line has a checksum that covers the line before, and the first line has the size of the file up to the last row that
 * was sent. So a line that was changed or lost is noticed, and nothing is sent. Do not edit the file: see
 * {@link BulkOptions.resolve}. An older copy of the whole file, from a backup for example, is a valid journal: a run cannot notice it, and sends
 * again the rows that were sent since.
 *
 * Only one run at a time can have the file, also through a symbolic link. A second one, also of another process, gets an error.
 * The lock of a process that was killed is taken over.
 *
 * @param path - the file; it is made when it does not exist. Beside it, `<path>.lock` exists while a run has it.
 * @returns the journal.
 * @throws `ConfigurationError` when `path` is not a path. A run with the journal throws it when the file cannot be opened,
 * or a line of it is damaged or missing, and {@link JournalInUseError} when another run has the file.
 *
 * @example
 * ```ts
 * import { mkdtempSync } from 'node:fs';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { PetStoreClient } from 'petstore-client';
 * import { createPets, fileJournal } from 'petstore-client/bulk';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
 * const path = join(mkdtempSync(join(tmpdir(), 'pets-')), 'import.journal');
 * const report = await createPets(client, [{ name: 'Rex', categoryId: 1 }], { journal: fileJournal(path) });
 * console.log(report.created.length); // 1
 * ```
 */
export function fileJournal(path: string): BulkJournal {
  return journalIn(path, nodeFiles);
}

/** Without an import, so that a page can bundle this entry: bundlers would look for the modules. */
function nodeFiles(): Files {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  if (process?.getBuiltinModule === undefined)
    throw new ConfigurationError(
      'fileJournal needs the files of Node, Bun or Deno: elsewhere, write a BulkJournal of your own',
    );
  return {
    fs: process.getBuiltinModule('node:fs'),
    paths: process.getBuiltinModule('node:path'),
  };
}

/** What a journal needs of the runtime. */
export interface Files {
  readonly fs: typeof NodeFs;
  readonly paths: typeof NodePath;
}

/** As {@link fileJournal}, on the given file system. */
export function journalIn(path: unknown, load: () => Files): BulkJournal {
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\0'))
    throw new ConfigurationError("fileJournal needs the path of a file, such as 'pets.journal'");
  let file: JournalFile | undefined;
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (failure) {
      throw journalError(path, failure);
    }
  };
  return {
    read() {
      const files = load();
      const opened = guarded(() => new JournalFile(files, path));
      file = opened;
      return opened.entries;
    },
    write(entry) {
      if (file === undefined) throw new ConfigurationError(`the journal ${path} is not open`);
      const { append } = file;
      guarded(() => append(entry));
    },
    close() {
      const closing = file;
      file = undefined;
      guarded(() => closing?.close());
    },
  };
}

/** The file of a journal, opened by one run. */
class JournalFile {
  readonly entries: readonly JournalEntry[];
  readonly #fs: typeof NodeFs;
  readonly #file: number;
  readonly #unlock: () => void;
  /** Where the next line begins, in bytes. */
  #end: number;
  /** The checksum of the last line. */
  #check: string;
  /** The size of the file. If it has another size, another program has changed it. */
  #size: number;
  /** The first failed write. After it no row may be sent. */
  #failure: Error | undefined;

  constructor({ fs, paths }: Files, given: string) {
    this.#fs = fs;
    const path = realPath(fs, paths, given);
    this.#unlock = takeLock(fs, `${path}.lock`);
    try {
      if (!fs.existsSync(path)) createFile(fs, path, paths.dirname(path));
      this.#file = fs.openSync(path, 'r+');
    } catch (failure) {
      this.#unlock();
      throw failure;
    }
    try {
      const bytes = fs.readFileSync(this.#file);
      const { entries, end, check, cut } = readText(given, bytes.toString());
      [this.#end, this.#check, this.#size] = [end, check, bytes.length];
      if (cut !== undefined) this.append(cut);
      this.entries = cut === undefined ? entries : [...entries, cut];
      this.#truncate();
    } catch (failure) {
      this.close();
      throw failure;
    }
  }

  /** Writes one line. An entry `sending` is on the disk when this returns; if this throws, its row must not be sent. */
  readonly append = (entry: JournalEntry): void => {
    const isSending = entry.state === 'sending';
    if (isSending && this.#failure !== undefined) throw this.#failure;
    try {
      this.#write(entry);
      if (isSending) this.#sync();
    } catch (failure) {
      this.#failure ??= failure as Error;
      throw failure;
    }
  };

  close(): void {
    try {
      this.#fs.fsyncSync(this.#file);
    } finally {
      this.#fs.closeSync(this.#file);
      this.#unlock();
    }
  }

  #write(entry: JournalEntry): void {
    if (this.#fs.fstatSync(this.#file).size !== this.#size)
      throw new Error('another program has changed it: let only one import use it');
    const { line, check } = encodeLine(entry, this.#check);
    try {
      this.#end = writeAt(this.#fs, this.#file, this.#end, line);
    } catch (failure) {
      // So that no part of a line stays. The next line is written at the same place.
      this.#truncate();
      throw failure;
    }
    this.#check = check;
    this.#size = Math.max(this.#size, this.#end);
  }

  /** First the line, then the header that counts it: a header that counts a line that is not there would be damage. */
  #sync(): void {
    this.#fs.fsyncSync(this.#file);
    writeAt(this.#fs, this.#file, 0, header(this.#end));
    this.#fs.fsyncSync(this.#file);
  }

  #truncate(): void {
    try {
      this.#fs.ftruncateSync(this.#file, this.#end);
    } catch {
      // What stays is the part of a line, which the next run ignores, or takes as sent.
    }
    this.#size = this.#fs.fstatSync(this.#file).size;
  }
}

/** Returns the position after the text. A part of a text is no success, even if the file system reports none. */
function writeAt(fs: typeof NodeFs, file: number, position: number, text: string): number {
  const bytes = encode(text);
  if (fs.writeSync(file, bytes, 0, bytes.length, position) < bytes.length)
    throw new Error(
      'only a part of a line was written. The disk may be full: free some space, and run again',
    );
  return position + bytes.length;
}

/** A new journal appears under its name with its header, or not at all. */
function createFile(fs: typeof NodeFs, path: string, folder: string): void {
  const file = fs.openSync(`${path}.new`, 'w');
  try {
    writeAt(fs, file, 0, header(0));
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  fs.renameSync(`${path}.new`, path);
  syncFolder(fs, folder);
}

/** So that the name of the file also survives a power failure. Windows cannot do it, and does not need it. */
function syncFolder(fs: typeof NodeFs, folder: string): void {
  try {
    const file = fs.openSync(folder, 'r');
    fs.fsyncSync(file);
    fs.closeSync(file);
  } catch {
    return;
  }
}
