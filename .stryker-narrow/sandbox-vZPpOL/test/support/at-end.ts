// @ts-nocheck
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const works: (() => unknown)[] = [];

afterAll(async () => {
  for (const work of works.splice(0).reverse()) await work();
});

/** Leaves work for the end of the test file; what is left last is done first. */
export function atEnd(work: () => unknown): void {
  works.push(work);
}

/** A new folder, until the test file ends: in that of the system, or in another one. */
export function temporaryFolder(place: string = tmpdir()): string {
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, 'petstore-client-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
