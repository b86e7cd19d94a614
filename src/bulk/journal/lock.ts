import type * as NodeFs from 'node:fs';
import type * as NodePath from 'node:path';
import { JournalInUseError } from './file-errors.js';

/** The locks that this process holds. A process id alone is not enough, because every container may have the same id. */
const held = new Set<string>();

/** Takes a lock, also from a process that is gone. Returns the function that gives it back. */
export function takeLock(fs: typeof NodeFs, path: string): () => void {
  const take = () => fs.writeFileSync(path, String(process.pid), { flag: 'wx' });
  try {
    take();
  } catch (failure) {
    if ((failure as { code?: string }).code !== 'EEXIST') throw failure;
    const holder = Number(fs.readFileSync(path, 'utf8'));
    if (holder === process.pid ? held.has(path) : isRunning(holder))
      throw new JournalInUseError(
        `the journal is in use by the process ${holder} (${path}): wait until it ends. If that process is no import, delete this file`,
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

/** The path without symbolic links, so that one file has one lock. The file itself may not exist yet. */
export function realPath(fs: typeof NodeFs, paths: typeof NodePath, given: string): string {
  if (fs.existsSync(given)) return fs.realpathSync(given);
  const link = fs.lstatSync(given, { throwIfNoEntry: false });
  const folder = paths.dirname(given);
  return link?.isSymbolicLink() === true
    ? realPath(fs, paths, paths.resolve(folder, fs.readlinkSync(given)))
    : paths.join(fs.realpathSync(folder), paths.basename(given));
}
