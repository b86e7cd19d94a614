// @ts-nocheck
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { root } from './product.js';

/** What the benches are told. With `quick` or `only` nothing is written. */
export const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Parts of the bench, by their names. */
    only: { type: 'string' },
  },
});

export const isWanted = (part: string) => options.only?.split(',').includes(part) ?? true;

export const machine = `on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;

/** A row of a Markdown table: its cells by the names of their columns. */
export type Row = Readonly<Record<string, string | number>>;

/** A Markdown table, numbers to the right. */
export function table(rows: readonly Row[], columns = Object.keys(rows[0]!)): string {
  const rule = columns.map((_, at) => (at === 0 ? '---' : '--:'));
  const cells = rows.map((row) => columns.map((column) => row[column]));
  return [columns, rule, ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Says on stderr what is done, and after how many seconds. */
export function progress(what: string): void {
  console.error(`${(performance.now() / 1_000).toFixed(0).padStart(5)} s  ${what}`);
}

/** Prints `text`, and puts it between `<!-- name:begin -->` and `<!-- name:end -->` of a Markdown file of the package. */
export async function publish(file: string, name: string, text: string): Promise<void> {
  console.log(text);
  if (options.quick || options.only !== undefined) return;
  const path = new URL(file, root);
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [before, rest] = readFileSync(path, 'utf8').split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${file} has no marks for ${name}.`);
  const section = await format(text, { parser: 'markdown', printWidth: 100 });
  writeFileSync(path, `${before}${begin}\n\n${section}\n${end}${after}`);
}
