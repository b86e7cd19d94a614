import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** One import of a file at a time: two would each create every pet. @returns what ends it. */
export function lock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = Number(readFileSync(path, 'utf8'));
    if (isRunning(holder)) {
      throw new Error(
        `Process ${holder} is importing this file. If it is something else, remove ${path}.`,
        { cause: error },
      );
    }
    // Left behind by a run that was killed.
    rmSync(path, { force: true });
    return lock(path);
  }
  return () => rmSync(path, { force: true });
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
