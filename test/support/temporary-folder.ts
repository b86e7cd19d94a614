import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.js';

/** A new folder, until the test file ends: in that of the system, or in another one. */
export function temporaryFolder(place: string = tmpdir()): string {
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, 'petstore-client-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
