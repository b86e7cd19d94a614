import type * as NodeFs from 'node:fs';
import type * as NodePath from 'node:path';
import { JournalInUseError } from './file-errors.js';

/** The locks that this process holds. A process id alone is not enough, because every container may have the same id. */
const held = new Set<string>();

/** Takes a lock, also from a process that is gone. Returns the function that gives it back. */
export function takeLock(fs: typeof NodeFs, path: string): () => void {
  const take = () => fs.writeFileSync(path, holderText(fs, process.pid), { flag: 'wx' });
  try {
    take();
  } catch (failure) {
    if ((failure as { code?: string }).code !== 'EEXIST') throw failure;
    const [holder, start] = fs.readFileSync(path, 'utf8').split(' ') as [string, string?];
    const pid = Number(holder);
    if (pid === process.pid ? held.has(path) : isRunning(fs, pid, start))
      throw new JournalInUseError(
        `the journal is in use by the process ${pid} (${path}): wait until it ends. If that process is no import, delete this file`,
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

/** The id of a process and, where it can be known, when it started: ids are given again, soon in a container. */
function holderText(fs: typeof NodeFs, pid: number): string {
  const start = readProcess(fs, pid)?.start;
  return start === undefined ? String(pid) : `${pid} ${start}`;
}

/** What Linux tells of a process. `undefined` on other systems, and if there is no such process. */
function readProcess(fs: typeof NodeFs, pid: number): { state: string; start: string } | undefined {
  try {
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return { state: fields[0]!, start: fields[19]! };
  } catch {
    return undefined;
  }
}

function isRunning(fs: typeof NodeFs, pid: number, start: string | undefined): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const found = readProcess(fs, pid);
  // Z: it has ended, and nobody has asked how. Another start: the id now belongs to another program.
  if (found !== undefined && (found.state === 'Z' || (start ?? found.start) !== found.start))
    return false;
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
