import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/**
 * Reads a CSV file of pets: its rows for `createPets`, and the line on which each begins.
 *
 * @throws an Error that names the line, for a file that is no CSV, and for a row that `writeFailedRows` marked as unknown.
 */
export function readRows(path) {
  const [header, ...records] = readRecords(readFileSync(path));
  const names = header?.cells ?? [];
  const missing = ['name', 'categoryId'].filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new Error(
      `line 1: there is no column ${missing.join(', ')}. The first line must be: name,categoryId,status.`,
    );
  return {
    lines: records.map(({ line }) => line),
    rows: records.map(({ cells, line }) => {
      const row = Object.fromEntries(names.map((name, column) => [name, cells[column]]));
      if (row.outcome !== 'unknown') return toPet(row);
      throw new Error(
        `line ${line}: the pet ${row.name} may exist. Look for it. If it exists, delete the line. If not, delete the word "unknown".`,
      );
    }),
  };
}

/** The records of a CSV file, each with the line on which it begins. */
function readRecords(bytes) {
  const lineBreak = bytes.includes('\n') ? '\n' : '\r';
  let [line, end] = [1, 0];
  const advance = (to) => {
    line += bytes.toString('latin1', end, to).split(lineBreak).length - 1;
    end = to;
  };
  const skipEmptyLines = () => {
    while (bytes[end] === 10 || bytes[end] === 13) advance(end + 1);
    return line;
  };
  try {
    return parse(bytes, {
      bom: true,
      skip_empty_lines: true,
      on_record(cells, info) {
        const record = { cells, line: skipEmptyLines() };
        advance(info.bytes);
        return record;
      },
    });
  } catch (error) {
    // The line in the message of the parser is the last of the row, and is wrong after some line breaks.
    const [problem] = error.message.split(':');
    throw new Error(`the row that begins on line ${skipEmptyLines()}: ${problem}.`, {
      cause: error,
    });
  }
}

/** A category that is no whole number stays a text, so that the check of the row reports it. */
function toPet({ name, categoryId, status }) {
  return {
    name,
    categoryId: /^\d+$/.test(categoryId) ? BigInt(categoryId) : categoryId,
    ...(status && { status }),
  };
}

/**
 * Writes rows that need a person to a CSV file, which `readRows` reads again. An existing file is kept: someone may have edited it.
 *
 * @returns the path of the file.
 */
export function writeFailedRows(path, failed) {
  const text = [
    ['name', 'categoryId', 'status', 'outcome', 'reason'],
    ...failed.map(({ row, outcome, reason }) => [
      row.name,
      row.categoryId,
      row.status ?? '',
      outcome,
      reason,
    ]),
  ]
    .map((cells) => `${cells.map(quote).join(',')}\n`)
    .join('');
  const base = path.replace(/\.csv$/i, '');
  for (let number = 1; ; number += 1) {
    const target = `${base}.failed${number === 1 ? '' : `-${number}`}.csv`;
    if (existsSync(target) && readFileSync(target, 'utf8') !== text) continue;
    writeFileSync(target, text);
    return target;
  }
}

const quote = (cell) =>
  /[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
