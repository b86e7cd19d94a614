// Compiles and runs every block of TypeScript or JavaScript in the documents and doc comments.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeBlocks, type BlockFile } from '../support/block-files.js';
import { allBlocks, commentLines, read, root, sources } from '../support/documents.js';
import { forbidNetwork } from '../support/no-network.js';
import { printedAt } from '../support/printed.js';
import { runProgram } from '../support/programs.js';

const code = allBlocks().filter(({ language }) =>
  ['ts', 'tsx', 'js', 'mjs', 'typescript', 'javascript'].includes(language),
);
const files = writeBlocks(code);
const folder = dirname(files[0]!.path);
const run = files.filter(({ block }) => !block.mark.startsWith('no-run'));
const tried = forbidNetwork();

test('every block in the documents and doc comments compiles in a strict project', async () => {
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      rootDir: '../..',
      moduleDetection: 'force',
      noPropertyAccessFromIndexSignature: false,
    },
    include: ['*.ts', '*.tsx'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  // Jest is not among the dependencies: the page on testing extends the matchers of its module.
  writeFileSync(
    join(folder, 'jest.d.ts'),
    "declare module 'expect' { interface Matchers<R> { not: Matchers<R> } }",
  );
  const compiler = join(root, 'node_modules/typescript7/bin/tsc');
  const ended = await runProgram(process.execPath, [compiler, '--noEmit', '-p', folder]);
  expect(ended).toEqual({ code: 0, out: '', err: '' });
});

test('a block that is not run has a reason, and no other mark is used', () => {
  const odd = code.filter(({ mark }) => !/^(?:jest)?$|^no-run: .{10,}$/.test(mark));
  expect(odd.map(({ at, mark }) => `${at} ${mark}`)).toEqual([]);
});

test('every @example of a doc comment is a fenced block, so that it is run', () => {
  const bare = sources().flatMap((path) =>
    commentLines(read(path)).flatMap((line, index, lines) =>
      /^@example\b/.test(line) && !lines[index + 1]!.startsWith('```')
        ? [`${path}:${index + 1}`]
        : [],
    ),
  );
  expect(bare).toEqual([]);
});

const ofTests = run.filter(
  ({ block }) => block.mark === 'jest' || block.code.includes(`from 'vitest'`),
);

describe.each(ofTests.map((file) => ({ file, at: file.block.at })))(
  'the tests in $at',
  async ({ file }) => {
    await import(/* @vite-ignore */ file.path);

    test(`${file.block.at} prints what its comments state, without network access`, () =>
      expectOutput(file));
  },
);

const plain = run.filter((file) => !ofTests.includes(file));

test.each(plain.map((file) => ({ file, at: file.block.at })))(
  '$at runs and prints what its comments state, without network access',
  async ({ file }) => {
    await import(/* @vite-ignore */ file.path);
    expectOutput(file);
  },
);

/** A comment may explain the printed text after a colon. */
function expectOutput({ expected }: BlockFile): void {
  for (const [place, said] of expected) {
    const [text = 'nothing', ...more] = printedAt(place);
    expect(more, place).toEqual([]);
    expect(said.startsWith(`${text}: `) ? text : said, place).toBe(text);
  }
  expect(tried.splice(0)).toEqual([]);
}

const original = { log: console.log, error: console.error, warn: console.warn };

beforeAll(() => {
  console.log = console.error = console.warn = () => undefined;
  return () => Object.assign(console, original);
});
