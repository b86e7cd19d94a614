// @ts-nocheck
// The documents of the package as `npm pack` makes it: their relative links lead to files of the package.
import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/documents.js';

test('every relative link of the packed documents leads to a file of the package, which is below 600 kB', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', args, { cwd: root, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as [{ size: number; files: { path: string }[] }];
  const held = packed.files.map(({ path }) => path);
  const pages = held.filter((path) => path.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, link]) => normalize(join(dirname(page), link!)).replace(/\/$/, ''))
      .filter((path) => !held.some((file) => file === path || file.startsWith(`${path}/`)))
      .map((path) => `${page} -> ${path}`),
  );
  expect(broken).toEqual([]);
  expect(packed.size).toBeLessThan(600_000);
});
