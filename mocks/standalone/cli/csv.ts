/** A line of a CSV file after its header, or several lines where a cell in quotes contains line breaks. */
export interface CsvRecord {
  /** The cells, by the names in the header. */
  readonly cells: Readonly<Record<string, string>>;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

/** A cell, in quotes or not, and what ends it. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/**
 * Reads CSV with a header, as RFC 4180 describes it. A byte order mark and empty lines are ignored.
 *
 * @throws Error that names the line of a quote that is not closed, or of a record with more or fewer cells than the header.
 */
export function readCsvRecords(text: string): CsvRecord[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ''));
  if (header === undefined) return [];
  const names = header.cells;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new Error(`line ${header.line}: the column "${repeated}" occurs twice`);
  return rows.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw new Error(`line ${line} has ${cells.length} cells, the header has ${names.length}`);
    return { cells: Object.fromEntries(names.map((name, index) => [name, cells[index]!])), line };
  });
}

function readRows(text: string): { cells: string[]; line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  let cells: string[] = [];
  let line = 1;
  let linesInRow = 0;
  cellPattern.lastIndex = 0;
  // A comma at the very end is followed by one more cell, which is empty.
  for (let end = text === '' ? '' : ','; end === ',' || cellPattern.lastIndex < text.length;) {
    const at = cellPattern.lastIndex;
    const match = cellPattern.exec(text);
    if (match === null) throw new Error(`line ${line + linesInRow}: ${quoteProblem(text, at)}`);
    const [, quoted, plain = ''] = match;
    end = match[3]!;
    linesInRow += quoted?.match(/\r\n|\n|\r/g)?.length ?? 0;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    const isEmpty = cells.length === 1 && quoted === undefined && plain === '';
    if (!isEmpty) rows.push({ cells, line });
    line += linesInRow + 1;
    linesInRow = 0;
    cells = [];
  }
  return rows;
}

function quoteProblem(text: string, at: number): string {
  const isClosed = text[at] !== '"' || /^"[^"]*(?:""[^"]*)*"/.test(text.slice(at));
  return isClosed
    ? 'a quote stands inside a cell: put the cell in quotes, and write the quote twice'
    : 'the quote that begins here is never closed';
}
