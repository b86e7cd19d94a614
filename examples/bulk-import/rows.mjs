import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { NewPetSchema } from 'petstore-client/contract';

const fields = Object.keys(NewPetSchema.shape);
const required = fields.filter((name) => !NewPetSchema.shape[name].safeParse(undefined).success);
/** The columns that `writeFailedRows` adds. */
const notes = ['outcome', 'reason', 'line'];
/** A file that several programs wrote may have all of them. The parser would expect that of the first line everywhere. */
const lineBreaks = ['\r\n', '\n', '\r'];
const lineBreak = new RegExp(lineBreaks.join('|'));

/**
 * Reads a CSV file of pets: its rows for `createPets`, the line on which each begins, and the lines of names that are empty.
 *
 * @throws an Error that names the line, for a file that is no CSV, and for a row that `writeFailedRows` marked as unknown.
 */
export function readRows(path) {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8, perhaps Latin-1: save it as UTF-8.');
  const [header, ...records] = readRecords(bytes);
  const names = (header?.cells ?? []).map((name) => name || 'a column without a name');
  checkColumns(names);
  const rows = records.map(({ cells, line }) =>
    toPet(Object.fromEntries(names.map((name, column) => [name, cells[column]])), line),
  );
  const lines = records.map(({ line }) => line);
  return { rows, lines, nameless: lines.filter((_, index) => rows[index].name.trim() === '') };
}

function checkColumns(names) {
  const missing = required.filter((name) => !names.includes(name));
  const unknown = [...new Set(names)].filter((name) => ![...fields, ...notes].includes(name));
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) < at))];
  if (missing.length + unknown.length + repeated.length === 0) return;
  const delimiter = names.length === 1 ? /[;\t|]/.exec(names[0])?.[0] : undefined;
  const hint =
    delimiter === undefined
      ? `The first line must be: ${fields.join(',')}.`
      : `The cells seem to be separated by ${JSON.stringify(delimiter)}: save the file with commas.`;
  let problem = `there is more than one column ${repeated.join(', ')}: keep one.`;
  if (unknown.length > 0)
    problem = `the service does not store ${unknown.join(', ')}: delete these columns.`;
  if (missing.length > 0)
    problem = `there is no column ${missing.join(', ')}. The columns are: ${names.join(', ') || 'none'}.`;
  throw new Error(`line 1: ${problem} ${hint}`);
}

/** The records of a CSV file, each with the line on which it begins. */
function readRecords(bytes) {
  let [line, end] = [1, 0];
  const advance = (to) => {
    line += bytes.toString('latin1', end, to).split(lineBreak).length - 1;
    end = to;
  };
  const skipEmptyLines = () => {
    let next = end;
    while (bytes[next] === 10 || bytes[next] === 13) next += 1;
    advance(next);
    return line;
  };
  try {
    return parse(bytes, {
      bom: true,
      record_delimiter: lineBreaks,
      skip_empty_lines: true,
      on_record(cells, info) {
        const record = { cells, line: skipEmptyLines() };
        advance(info.bytes);
        return record;
      },
    });
  } catch (error) {
    // The line in the message of the parser is the last of the row, and is wrong after some line breaks.
    const [, expected, got] = /expect (\d+), got (\d+)/.exec(error.message) ?? [];
    const problem = got
      ? `it has ${got} cells, and the first line has ${expected}: write a name with a comma in quotes`
      : 'a quote is not closed, or is part of a name: write "Rex ""the Great"""';
    throw new Error(`the row that begins on line ${skipEmptyLines()}: ${problem}.`, {
      cause: error,
    });
  }
}

/** A category that is no whole number stays a text, so that the check of the row reports it. */
function toPet({ outcome, ...cells }, line) {
  const { name, categoryId } = cells;
  if (outcome === 'unknown')
    throw new Error(
      `line ${line}: the pet ${name} may exist. Decide with --created or --unsent on the file that you imported, and delete this line.`,
    );
  if (name.includes('\uFFFD'))
    throw new Error(`line ${line}: the name ${name} has lost letters: export the file as UTF-8.`);
  // An empty cell is no status.
  const given = fields.filter((field) => cells[field] || required.includes(field));
  return {
    ...Object.fromEntries(given.map((field) => [field, cells[field]])),
    categoryId: /^-?\d+$/.test(categoryId) ? BigInt(categoryId) : categoryId,
  };
}

/**
 * Writes rows that need a person to a CSV file, which `readRows` reads again. An existing file is kept: someone may have edited it.
 *
 * @returns the path of the file.
 */
export function writeFailedRows(path, failed) {
  const text = textOf(failed);
  for (let number = 1; ; number += 1) {
    const target = `${withoutEnd(path)}.failed${number === 1 ? '' : `-${number}`}.csv`;
    if (existsSync(target) && readFileSync(target, 'utf8') !== text) continue;
    writeFileSync(target, text);
    return target;
  }
}

/** The names of the files that `writeFailedRows` wrote for other rows than these. */
export function oldFailedFiles(path, failed) {
  const [folder, begin] = [dirname(path), `${basename(withoutEnd(path))}.failed`];
  const text = textOf(failed);
  return readdirSync(folder)
    .filter((name) => name.startsWith(begin) && /^(-\d+)?\.csv$/.test(name.slice(begin.length)))
    .filter((name) => readFileSync(join(folder, name), 'utf8') !== text);
}

const withoutEnd = (path) => path.replace(/\.csv$/i, '');

const textOf = (failed) =>
  [
    [...fields, ...notes],
    ...failed.map(({ row, ...note }) => [
      ...fields.map((field) => row[field] ?? ''),
      ...notes.map((field) => note[field] ?? ''),
    ]),
  ]
    .map((cells) => `${cells.map(quote).join(',')}\n`)
    .join('');

const quote = (cell) =>
  /[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
