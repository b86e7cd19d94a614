// The CSV that `--seed` reads, compared with a CSV library.
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsvRecords } from '../../../mocks/standalone/cli/csv.js';

const cellsOf = (text: string) => readCsvRecords(text).map(({ cells }) => cells);
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** Text with what matters in CSV, more often than chance would have it. */
const cell = fc.string({
  unit: fc.constantFrom('a', 'ü', ' ', ',', '"', '\r\n', '\n', '\uFEFF', "'"),
  maxLength: 6,
});

test('what is written with quotes is read as it was, whatever ends the lines', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      (rows, newline, endsWithNewline) => {
        const lines = [['name', 'note'], ...rows].map((cells) => cells.map(quoted).join(','));
        const text = lines.join(newline) + (endsWithNewline ? newline : '');
        expect(cellsOf(text)).toEqual(rows.map(([name, note]) => ({ name, note })));
      },
    ),
  );
});

test('any text is read as a CSV library reads it, or refused where the library refuses it', () => {
  const record_delimiter = ['\r\n', '\n'];
  const piece = fc.constantFrom('a', 'b c', ',', '"', '""', '\n', '\r\n', '"x"', '"y\nz"');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `name,note\n${pieces.join('')}`;
      const outcome = (read: () => unknown) => {
        try {
          return read();
        } catch {
          return 'refused';
        }
      };
      expect(outcome(() => cellsOf(text))).toEqual(
        outcome(() => parse(text, { columns: true, skip_empty_lines: true, record_delimiter })),
      );
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['name,id\nRex,1\n"Max,2\n', 'line 3: the quote that begins here is never closed'],
  ['name,id\n"a\nb",1\nR"ex,1\n', 'line 4: a quote stands inside a cell'],
  ['name,id\n"Rex"x,1\n', 'line 2: a quote stands inside a cell'],
  ['name,id\n"a\nb",1\nRex\n', 'line 4 has 1 cells, the header has 2'],
  ['name,id,name\n', 'line 1: the column "name" occurs twice'],
])('%j is refused: %s', (text, message) => {
  expect(() => readCsvRecords(text)).toThrow(message);
});

test('a record is known by the line on which it begins; empty lines and a byte order mark are ignored', () => {
  expect(readCsvRecords('\uFEFF\nname,id\n\n"a\nb",1\n\nRex,2')).toEqual([
    { cells: { name: 'a\nb', id: '1' }, line: 4 },
    { cells: { name: 'Rex', id: '2' }, line: 7 },
  ]);
  expect(readCsvRecords('')).toEqual([]);
  expect(readCsvRecords('\n\n')).toEqual([]);
});

test('a cell of a million characters is read', () => {
  const text = 'x""'.repeat(500_000);
  expect(readCsvRecords(`name\n"${text}"`)[0]?.cells['name']).toHaveLength(1_000_000);
});
