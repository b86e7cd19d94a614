import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { readAssumptionsFile, type AssumptionsFile } from '../../assumptions/file.js';
import type { SeedPet } from '../../pets/pet.js';
import { seedSchema } from '../../pets/pets-api.js';
import { check } from '../../utils/check.js';
import { readJson } from '../../utils/json.js';
import { UsageError } from './flags.js';

/** Reads the assumptions in a file. @throws UsageError that says what is wrong with it. */
export function readAssumptionsFlag(file: string, flag = '--assumptions'): AssumptionsFile {
  return readFile(flag, file, readAssumptionsFile);
}

/** Reads the pets in a file, a JSON array. @throws UsageError that names the pet, and what is wrong with it. */
export function readSeedFile(file: string): SeedPet[] {
  return readFile('--seed', file, (text) => {
    const notJson = (why: string, cause: unknown) => new Error(`it is not JSON: ${why}`, { cause });
    const pets = readJson(text, notJson);
    if (!Array.isArray(pets)) throw new Error('must be a JSON array of pets');
    const ids = new Set<unknown>();
    return pets.map((given: unknown, index) => {
      const pet = check(seedSchema, given, `pet ${index + 1}`);
      if (ids.has(pet.id)) throw new Error(`pet ${index + 1}: the id ${pet.id} occurs twice`);
      if (pet.id !== undefined) ids.add(pet.id);
      return pet as SeedPet;
    });
  });
}

/** @throws UsageError that names flag and file, and says why the file cannot be read. */
function readFile<T>(flag: string, file: string, read: (text: string) => T): T {
  try {
    const bytes = readFileSync(file);
    // Otherwise the names of a Latin-1 file would silently lose their letters.
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8. Save it as UTF-8.');
    return read(bytes.toString());
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = flag === '--seed' ? ' It takes a number of pets, or a JSON file.' : '';
    const reason = code === 'ENOENT' ? `there is no such file.${hint}` : message;
    throw new UsageError(`${flag} ${file}: ${reason}`);
  }
}
