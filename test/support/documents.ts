import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const root: string = new URL('../..', import.meta.url).pathname;

/** One fenced block of a document or of a doc comment. */
export interface Block {
  /** File and line of the block's first line of code: `docs/errors.md:12`. */
  readonly at: string;
  /** The first word behind the fence: `ts`, `sh`… */
  readonly language: string;
  /** The rest behind the fence: `no-run`, with its reason. */
  readonly mark: string;
  readonly code: string;
}

/** The documents that people read, as paths from the root. */
export function documents(): string[] {
  return globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root })
    .filter((path) => !path.includes('node_modules') && path !== 'CHANGELOG.md')
    .sort();
}

/** The sources whose doc comments become the reference. */
export function sources(): string[] {
  return globSync(['src/**/*.ts', 'mocks/**/*.ts'], { cwd: root }).sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The blocks of all documents and doc comments. */
export function allBlocks(): Block[] {
  return [
    ...documents().flatMap((path) => blocksOf(path, read(path).split('\n'))),
    ...sources().flatMap((path) => blocksOf(path, commentLines(read(path)))),
  ];
}

/** The only block of a page that contains this text. */
export function blockWith(page: string, text: string): Block {
  const found = allBlocks().filter(({ at, code }) => at.startsWith(page) && code.includes(text));
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks with ${text}`);
  return found[0]!;
}

/** The text of doc comments, line by line; every other line is empty, so that line numbers stay. */
export function commentLines(source: string): string[] {
  let inside = false;
  return source.split('\n').map((line) => {
    if (/^\s*\/\*\*/.test(line)) inside = true;
    const text = inside
      ? line.replace(/^\s*(?:\/\*\*|\*\/|\*(?!\/) ?)/, '').replace(/\*\/\s*$/, '')
      : '';
    if (line.includes('*/')) inside = false;
    return text;
  });
}

function blocksOf(path: string, lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, language = '', mark = ''] =
      /^(\s*)(`{3,})([\w-]*)\s*(.*)$/.exec(lines[at]!) ?? [];
    if (fence === undefined) continue;
    const first = at + 1;
    while (++at < lines.length && lines[at]!.trim() !== fence);
    const code = lines
      .slice(first, at)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ at: `${path}:${first + 1}`, language, mark: mark.trim(), code: code.join('\n') });
  }
  return blocks;
}
