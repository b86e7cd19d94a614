// @ts-nocheck
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Figures = Record<
  'success' | 'notFound',
  Record<'client' | 'mock', Readonly<Record<string, number>>>
>;

const script = join(import.meta.dirname, '../scripts/files-entered.mjs');
const figures = JSON.parse(
  execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' }),
) as Figures;

test.each([
  ['success', 'client', 26],
  ['notFound', 'client', 32],
  ['success', 'mock', 23],
  ['notFound', 'mock', 24],
] as const)('a warm %s enters on the side of the %s at most %i files', (call, side, most) => {
  const files = Object.keys(figures[call][side]);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});

test('the measure counts the files that a call must enter', () => {
  expect(Object.keys(figures.success.client)).toEqual(
    expect.arrayContaining(['src/client.ts', 'src/transport/transport.ts', 'src/http/fetch.ts']),
  );
  expect(Object.keys(figures.success.mock)).toContain('mocks/service/respond.ts');
});
