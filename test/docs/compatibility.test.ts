import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The rows between the markers of a run, without the head of the table. */
function rowsOf(name: string): readonly string[] {
  const [, table = ''] = read('docs/browsers-and-edge.md').split(
    new RegExp(`<!-- ${name}:(?:begin|end) -->`),
  );
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

const pinned = new Map(
  ['package.json', 'tools/package.json'].flatMap((path) => {
    const { devDependencies } = JSON.parse(read(path)) as Record<string, Record<string, string>>;
    return Object.entries(devDependencies!).map(
      ([name, pin]) => [name, pin.replace(/^npm:.*@/, '')] as const,
    );
  }),
);

test.each([
  [
    'runtimes',
    18,
    ['msw2', 'msw', 'node20', 'node22', 'node26', 'bun', 'deno', 'miniflare', 'playwright'],
  ],
  [
    'consumers',
    27,
    [
      'jest',
      'vitest',
      'msw2',
      'msw',
      '@nestjs/common',
      'next',
      'vite',
      'webpack',
      'esbuild',
      'typescript5',
      'typescript',
      'typescript7',
    ],
  ],
])(
  'each row of the table of %s has yes, or no with a reason, for the pinned versions',
  (name, rows, tools) => {
    const table = rowsOf(name);
    expect(table).toHaveLength(rows);
    for (const row of table) expect(row).toMatch(/^\| [^|]+ \| [^|]+ \| (yes|no: [^|]+) \|$/);
    for (const tool of tools)
      expect(table.join('\n')).toContain(` ${pinned.get(tool) ?? 'unpinned'}`);
  },
);
