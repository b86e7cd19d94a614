// Checks that the files, headings, scripts and flags that the documents name exist.
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readVerifyOptions } from '../../mocks/standalone/verify/options.js';
import { readOptions } from '../../mocks/standalone/cli/options.js';
import { allBlocks, blockWith, documents, read, root } from '../support/documents.js';
import { verifyHelp } from '../../mocks/standalone/verify/help.js';

const pages = new Map(documents().map((path) => [path, withoutBlocks(read(path))]));
const links = [...pages].flatMap(([from, text]) => linksOf(from, text));
const shell = allBlocks().filter(({ language }) => ['sh', 'bash', 'shell'].includes(language));
const commands = shell.flatMap(({ at, code }) =>
  code
    .replaceAll(/\\\n\s*/g, '')
    .split(/\n|&&|\|/)
    .map((line) => ({ at, line: line.replace(/\s#.*$/, '').trim() })),
);

test('every link between documents leads to an existing file, and to an existing heading of it', () => {
  expect(links.length).toBeGreaterThan(20);
  const broken = links.filter(
    ({ path, anchor }) =>
      !existsSync(join(root, path)) || (anchor !== undefined && !headingsOf(path).has(anchor)),
  );
  expect(broken).toEqual([]);
});

test('every path of a file in the text of CONTRIBUTING exists', () => {
  const named = [...pages.get('CONTRIBUTING.md')!.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.\w+)`/g)];
  expect(named.length).toBeGreaterThan(20);
  const missing = named.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

test('the index and the site have every document of docs', () => {
  const inDocs = [...pages.keys()].filter((path) => /^docs\/(?!index\.md)/.test(path));
  const led = new Set(links.filter(({ from }) => from === 'docs/index.md').map(({ path }) => path));
  expect(inDocs.filter((path) => !led.has(path))).toEqual([]);
  const { projectDocuments } = JSON.parse(read('typedoc.json')) as { projectDocuments: string[] };
  const guides = inDocs.filter((path) => !path.startsWith('docs/decisions/'));
  expect(projectDocuments.toSorted()).toEqual(
    ['docs/index.md', ...guides, 'docs/decisions/*.md', 'CHANGELOG.md'].toSorted(),
  );
});

test('every npm script that a document names exists in the package', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const inText = [...pages].flatMap(([at, text]) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => ({ at, name: name! })),
  );
  const inShell = commands.flatMap(({ at, line }) => {
    const name = /^npm run (?:--silent )?([\w:-]+)|^npm (test)\b/.exec(line)?.slice(1).join('');
    return name === undefined ? [] : [{ at, name }];
  });
  // The scripts in the package.json of an example are checked by the test of that example.
  const own = [...inText, ...inShell].filter(({ at }) => !at.startsWith('examples/'));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('every petstore-mock command line in a document has valid options', () => {
  const program = /^(?:npx (?:--package=petstore-client )?)?petstore-mock\b\s*/;
  const shown = commands.filter(({ line }) => program.test(line));
  expect(shown.length).toBeGreaterThan(3);
  for (const { at, line } of shown) {
    const words = line.replace(program, '').replace(/\s*[>&].*$/, '');
    // As a shell splits it: what stands in quotes is one word.
    const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
    const read = () =>
      args[0] === 'verify' ? readVerifyOptions(args.slice(1)) : readOptions(args);
    expect(read, `${at}: ${line}`).not.toThrow();
  }
});

function linksOf(from: string, text: string) {
  return [...text.replaceAll(/`[^`\n]+`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
    ([, target = '']) => {
      if (/^[a-z]+:/i.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      return [{ from, path: file === '' ? from : normalize(join(dirname(from), file)), anchor }];
    },
  );
}

/** The anchors that GitHub and TypeDoc give to headings. */
function headingsOf(path: string): Set<string> {
  const headings = withoutBlocks(read(path)).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^\s*(`{3,})[^\n]*\n[\s\S]*?^\s*\1\s*$/gm, '');
}

const limits = JSON.parse(read('config/size-limit.json')) as { name: string; limit: string }[];
const limitOf = (name: string) => limits.find((entry) => entry.name === name)!.limit;

test('the size of the client in the README and on the page about performance is the limit of the build, and no other', () => {
  const whole = limitOf('client, whole, for a browser');
  expect(read('README.md')).toContain(`is at most ${whole} (gzip)`);
  expect(read('README.md').match(/[\d.]+ kB/g)).toEqual([whole]);
  const page = read('docs/performance.md');
  expect(page).toContain(`whole client in a browser is at most ${whole} (gzip)`);
  expect(page).toContain(`${limitOf('client, own code')} are its own code`);
});

interface Workflow {
  readonly on: { readonly schedule: object };
  readonly permissions: object;
  readonly jobs: { verify: { steps: { uses?: string; run?: string; env?: object }[] } };
}

test('the workflow runs once a day, may only read, and its command is one that the program takes and explains', () => {
  const { code } = blockWith('docs/assumptions.md', 'schedule:');
  const { on, permissions, jobs } = parse(code) as Workflow;
  expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) as string }]);
  expect(permissions).toEqual({ contents: 'read' });
  const { steps } = jobs.verify;
  for (const { run, uses } of steps) expect((run ?? uses)!.length).toBeGreaterThan(0);

  const verify = steps.find(({ run }) => run?.includes('petstore-mock verify'))!;
  expect(verify.env).toHaveProperty('PETSTORE_API_KEY');
  const address = 'https://staging.petstore.example';
  const [npx, program, command, ...args] = verify
    .run!.replace(/\$\{\{.*?\}\}/g, address)
    .split(' ');
  expect([npx, program, command]).toEqual(['npx', 'petstore-mock', 'verify']);
  expect(readVerifyOptions(args)).toMatchObject({ address });
  const flags = args.filter((word) => word.startsWith('--'));
  expect(flags.length).toBeGreaterThan(0);
  for (const flag of flags) expect(verifyHelp({})).toMatch(new RegExp(`^ +${flag} `, 'm'));
});
