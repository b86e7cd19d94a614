import type * as NodeFs from 'node:fs';
import { ConfigurationError } from '../errors/errors.js';
import type { BulkJournal, JournalEntry } from './journal.js';

/**
 * A journal in a file, one line of JSON an entry. It survives a crash and a power failure: an entry `sending` is on the disk
 * before the row is sent. Needs Node, Bun or Deno.
 *
 * Only one run at a time can have the file. A second one, also of another process, gets an error. The lock of a process that
 * was killed is taken over.
 *
 * @param path - the file; it is made when it does not exist. Beside it, `<path>.lock` exists while a run has it.
 * @returns the journal.
 * @throws `ConfigurationError` when another process has the file, or when a line of it cannot be read.
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
  let file: OpenJournal | undefined;
  return {
    async read() {
      file = await openJournal(path);
      return file.entries;
    },
    write: (entry) => file?.write(entry),
    close: () => {
      file?.close();
      file = undefined;
    },
  };
}

interface OpenJournal {
  readonly entries: readonly JournalEntry[];
  write(entry: JournalEntry): void;
  close(): void;
}

async function openJournal(path: string): Promise<OpenJournal> {
  // The module is loaded on use, so that this entry can be imported in runtimes without files.
  const fs = await import('node:fs');
  const unlock = takeLock(fs, `${path}.lock`);
  try {
    const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
    const entries = readEntries(path, text);
    if (!text.startsWith(header)) fs.writeFileSync(path, `${header}\n`);
    const file = fs.openSync(path, 'a');
    // A crash may have truncated the last line: the next entry must begin on a new line.
    if (text.startsWith(header) && !text.endsWith('\n')) fs.writeSync(file, '\n');
    return {
      entries,
      write(entry) {
        fs.writeSync(file, `${JSON.stringify(entry)}\n`);
        if (entry.state === 'sending') fs.fsyncSync(file);
      },
      close() {
        fs.closeSync(file);
        unlock();
      },
    };
  } catch (failure) {
    unlock();
    throw failure;
  }
}

/** The first line of every journal. */
const header = '{"journal":"petstore-client/bulk","version":1}';

/** The entries of a journal. A line that a crash has truncated is ignored: its row keeps the state of the entry before. */
function readEntries(path: string, text: string): JournalEntry[] {
  const [first = '', ...lines] = text.split('\n');
  if (first !== header && !(lines.length === 0 && header.startsWith(first)))
    throw new ConfigurationError(
      `${path} is not a journal of createPets: pass another path, or move the file away`,
    );
  return lines.flatMap((line) => {
    try {
      const entry = JSON.parse(line) as Partial<JournalEntry> | null;
      return typeof entry?.row === 'string' && entry.state !== undefined
        ? [entry as JournalEntry]
        : [];
    } catch {
      return [];
    }
  });
}

/** The locks that this process holds. A process id alone is not enough, because every container may have the same id. */
const held = new Set<string>();

function takeLock(fs: typeof NodeFs, path: string): () => void {
  const take = () => fs.writeFileSync(path, String(process.pid), { flag: 'wx' });
  try {
    take();
  } catch (failure) {
    if ((failure as { code?: string }).code !== 'EEXIST') throw failure;
    const holder = Number(fs.readFileSync(path, 'utf8'));
    if (holder === process.pid ? held.has(path) : isRunning(holder))
      throw new ConfigurationError(
        `the journal is in use by the process ${holder} (${path}): wait until it ends`,
      );
    fs.rmSync(path, { force: true });
    take();
  }
  held.add(path);
  return () => {
    held.delete(path);
    fs.rmSync(path, { force: true });
  };
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    // EPERM: the process runs, and belongs to another user.
    return (failure as { code?: string }).code === 'EPERM';
  }
}
