// Checks the pages of docs/operations, which scripts/operation-pages.mjs writes.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.js';
import { read, root } from '../support/documents.js';

const script = 'scripts/operation-pages.mjs';
const pageOf = (name: string) =>
  `docs/operations/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

let copy: string;
beforeAll(() => {
  mkdirSync(join(root, 'temp'), { recursive: true });
  copy = mkdtempSync(join(root, 'temp/operations-'));
  for (const path of ['src', 'mocks', 'scripts', 'docs', 'package.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function editContract(before: string, after: string): void {
  const path = join(copy, 'src/contract/operations.ts');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  writeFileSync(path, text.replace(before, after));
}

test.each(Object.values(operations))(
  'the page of $name has its method, path, fields, errors, plans, stability and examples',
  ({ name, method, path, responses, stability }) => {
    const page = read(pageOf(name));
    expect(page).toContain(`\`${method} /v1${path}\``);
    expect(page).toContain(`| stability | ${stability}, which is an assumption`);
    for (const field of ['id', 'name', 'categoryId', 'status'])
      expect(page).toMatch(new RegExp(`^\\| \`${field}\` \\| .+ \\| (yes|no) \\| [^–]`, 'm'));
    const errors = Object.keys(responses).filter((status) => Number(status) >= 400);
    for (const status of errors)
      expect(page).toMatch(new RegExp(`^\\| ${status} \\| .+ \\| \`\\w+Error\` \\| `, 'm'));
    for (const row of ['Free | 60 | 1,000', 'Pro | 300 | 10,000', 'Business | 1,000 | 100,000'])
      expect(page).toContain(`| ${row} |`);
    for (const language of ['sh\ncurl', 'http\nHTTP/1.1 20', 'ts\nimport'])
      expect(page).toContain(`\`\`\`${language}`);
  },
);

test('the page of a list says that items beyond its limit cannot be listed', () => {
  expect(read(pageOf('listPets'))).toContain('One response has at most 100 items.');
  expect(read(pageOf('getPet'))).not.toContain('One response has at most');
});

test('a stable operation has no badge, and a deprecated one says what to call instead', () => {
  expect(read(pageOf('listPets'))).not.toContain('[!WARNING]');
  expect(read(pageOf('getPet'))).toContain('**deprecated**: getPet is deprecated');
});

test('the pages are up to date', () => {
  expect(() => execFileSync(process.execPath, [script, '--check'], { cwd: root })).not.toThrow();
});

test('the page of an operation that becomes beta has a badge, and is out of date until it is written', () => {
  editContract("stability: 'stable'", "stability: 'beta'");
  const run = (...options: string[]) =>
    spawnSync(process.execPath, [join(copy, script), ...options], { cwd: copy, encoding: 'utf8' });
  const check = run('--check');
  expect(check.stderr).toContain('docs/operations/list-pets.md. Run: npm run operations');
  expect(check.status).toBe(1);
  expect(run().status).toBe(0);
  const page = readFileSync(join(copy, pageOf('listPets')), 'utf8');
  expect(page).toContain('> [!WARNING]\n> **beta**: this operation may change.');
  expect(run('--check').status).toBe(0);
});
