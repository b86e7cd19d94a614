import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sources from '../../scripts/entries.json' with { type: 'json' };
import { temporaryFolder } from './temporary-folder.js';
import { root, type Block } from './documents.js';

/** A block as a module of its own. */
export interface BlockFile {
  readonly block: Block;
  readonly path: string;
  /** What the block says that its lines print, by the name of the line. */
  readonly expected: ReadonlyMap<string, string>;
}

/** The entries of the package, as they stand in this repository, by their names: `petstore-client/bulk`. */
const entries = new Map(
  Object.entries(sources).map(([entry, source]) => [
    `petstore-client/${entry}`.replace(/\/index$/, ''),
    source.replace(/ts$/, 'js'),
  ]),
);

/** Jest's globals, by way of Vitest, which has the same ones. */
const jestGlobals = `import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi as jest } from 'vitest'; `;

/** Writes each block into a new folder. */
export function writeBlocks(blocks: readonly Block[]): BlockFile[] {
  const folder = temporaryFolder(join(root, 'temp'));
  return blocks.map((block) => writeBlock(block, folder));
}

function writeBlock(block: Block, folder: string): BlockFile {
  const name = block.at.replaceAll(/[^\w]+/g, '-');
  const path = join(folder, `${name}.${{ tsx: 'tsx', js: 'mjs' }[block.language] ?? 'ts'}`);
  const expected = new Map<string, string>();
  const lines = block.code.split('\n').map((line, index) => {
    const said = /console\.log\(.*\);?\s*(?:\}\s*)?\/\/ (?!e\.g\.)(.+)$/.exec(line)?.[1];
    if (said === undefined) return line;
    const place = `${block.at} +${index}`;
    expected.set(place, said);
    return line.replace('console.log(', `printed(${JSON.stringify(place)}).log(`);
  });
  const head = `import { printed } from '../../test/support/printed.js'; ${block.mark === 'jest' ? jestGlobals : ''}`;
  // The head shares a line with the code, so that a message names the line of the block. A reference to types has to come first.
  const at = lines.findIndex((line) => !line.startsWith('/// <reference'));
  lines[at] = head + lines[at]!;
  writeFileSync(path, resolved(lines.join('\n')));
  return { block, path, expected };
}

function resolved(code: string): string {
  return code
    .replaceAll(/const (\{[^}]*\}) = require\(('[^']+')\)/g, 'import $1 from $2')
    .replaceAll(/(from |import\()'([^']+)'/g, (whole, before: string, name: string) => {
      const own = entries.get(name);
      const entry = own ? `../../${own}` : name.replace('@playwright/test', 'playwright/test');
      return whole.replace(`${before}'${name}'`, `${before}'${entry}'`);
    });
}
