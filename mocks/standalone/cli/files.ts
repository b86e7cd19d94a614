import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type * as z from 'zod/mini';
import { parseInt64 } from '../../../src/contract/int64.js';
import { parseJson } from '../../../src/contract/json.js';
import { readAssumptionsFile, type AssumptionsFile } from '../../assumptions/file.js';
import { petOfFile } from '../../control/routes/pets.js';
import type { SeedPet } from '../../pets/pet.js';
import { UsageError } from './check-flags.js';
import { readCsvRecords } from './csv.js';

/** Reads the assumptions in a file. @throws UsageError that says what is wrong with it. */
export function readAssumptionsFlag(file: string): AssumptionsFile {
  const text = readText('--assumptions', file);
  try {
    return readAssumptionsFile(text);
  } catch (error) {
    throw new UsageError(`--assumptions ${file}: ${(error as Error).message}`);
  }
}

/**
 * Reads the pets in a file: a JSON array, or CSV with a header line for a name that ends in `.csv`. Every pet is checked.
 *
 * @throws UsageError that names the pet, or the line of the CSV, and what is wrong with it.
 */
export function readSeedFile(file: string): SeedPet[] {
  const isCsv = extname(file).toLowerCase() === '.csv';
  const rows = isCsv ? readCsv(file) : readArray(file);
  const ids = new Set<unknown>();
  return rows.map(({ value, at }) => {
    const { success, data, error } = petOfFile.safeParse(value);
    if (!success) {
      const issues = error.issues.map(
        ({ path, message }) => [...path, message].join(' ') + shownCell(isCsv, value, path[0]),
      );
      throw new UsageError(`--seed ${file}: ${at}: ${issues.join('; ')}`);
    }
    const id = data['id'];
    if (id !== undefined && ids.has(id))
      throw new UsageError(`--seed ${file}: ${at}: the id ${String(id)} occurs twice`);
    ids.add(id);
    return data as SeedPet;
  });
}

/** The text of a cell, where a message speaks of "a string": every cell is one. */
function shownCell(isCsv: boolean, value: unknown, field: PropertyKey | undefined): string {
  if (!isCsv) return '';
  const cell = (value as Readonly<Record<PropertyKey, unknown>>)[field ?? ''];
  return typeof cell === 'string' ? ` (${JSON.stringify(cell.slice(0, 40))})` : '';
}

interface Row {
  readonly value: unknown;
  /** Its position in the file, for messages. */
  readonly at: string;
}

function readArray(file: string): Row[] {
  let pets: unknown;
  try {
    pets = parseJson(readText('--seed', file).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--seed ${file}: it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(pets))
    throw new UsageError(`--seed ${file}: must be a JSON array of pets, or CSV in a .csv file`);
  return pets.map((value, index) => ({ value: value as unknown, at: `pet ${index + 1}` }));
}

function readCsv(file: string): Row[] {
  const text = readText('--seed', file);
  try {
    if (text.trim() === '') throw new Error('it is empty: its first line must name the columns');
    const records = readCsvRecords(text);
    const columns = Object.keys(petOfFile.shape);
    const unknown = Object.keys(records[0]?.cells ?? {}).find((name) => !columns.includes(name));
    if (unknown !== undefined)
      throw new Error(
        `the header has an unknown column "${unknown}": the columns are ${columns.join(',')}, with commas between them`,
      );
    return records.map(({ cells, line }) => ({
      value: readCells(cells),
      at: `line ${line}`,
    }));
  } catch (error) {
    throw new UsageError(`--seed ${file}: ${(error as Error).message}`);
  }
}

/** The cells of a line as the fields of a pet: an empty cell is left out, and digits are a number where the field is a number. */
function readCells(cells: Readonly<Record<string, string>>): Record<string, unknown> {
  const fields: Readonly<Record<string, z.ZodMiniType | undefined>> = petOfFile.shape;
  return Object.fromEntries(
    Object.entries(cells)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => {
        const isText = fields[name]?.safeParse(text).success ?? true;
        return [name, isText ? text : (parseInt64(text) ?? text)];
      }),
  );
}

function readText(flag: string, file: string): string {
  const bytes = readBytes(flag, file);
  // Otherwise the names of a Latin-1 file would silently lose their letters.
  if (!isUtf8(bytes)) throw new UsageError(`${flag} ${file}: it is not UTF-8. Save it as UTF-8.`);
  return bytes.toString();
}

function readBytes(flag: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    const hint = flag === '--seed' ? ' It takes a number of pets, or a JSON or CSV file.' : '';
    throw new UsageError(`${flag} ${file}: ${reason}.${hint}`);
  }
}
