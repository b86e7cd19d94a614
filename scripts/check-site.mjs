// Checks the documentation site after it is built: what its search finds, its headings, its links to the service interface,
// and the text files beside it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

process.chdir(new URL('..', import.meta.url).pathname);
const read = (path) => readFileSync(path, 'utf8');
const { projectDocuments, out } = JSON.parse(read('typedoc.json'));
const problems = [];
const check = (holds, problem) => void (holds || problems.push(problem));

// Words that occur in documents and doc comments, where a search by names alone finds nothing.
const [, packed] = /window\.searchData = "(.+)"/.exec(read(`${out}/assets/search.js`));
const { rows, index } = JSON.parse(inflateSync(Buffer.from(packed, 'base64')));
const words = new Map(index.invertedIndex);
for (const word of ['redis', 'abort', 'cluster', 'jest']) {
  const { comment = {}, document = {} } = words.get(word) ?? {};
  const found = Object.keys({ ...comment, ...document }).filter((row) => rows[row] !== undefined);
  check(found.length > 0, `the search finds "${word}" in no document and no comment`);
}

// Guides come before decision records, whose names begin with their number.
const vectors = new Map(index.fieldVectors);
const rate = words.get('429');
const best = (isDecision) =>
  Object.keys(rate.document)
    .filter((row) => /^\d+\. /.test(rows[row].name) === isDecision)
    .map((row) => vectors.get(`document/${row}`))
    .map((vector) => vector.find((_, at) => at % 2 === 1 && vector[at - 1] === rate._index))
    .reduce((one, other) => Math.max(one, other));
check(best(false) > best(true), 'the search finds a decision before the guides for "429"');

// The header leads to npm and to the changelog, which shows what the next release brings, also from a page in a folder.
const changelog = read(`${out}/documents/Changelog.html`);
check(/<h2[^>]*>[^]*(?:next release|\d+\.\d+\.\d+)/.test(changelog), 'the changelog is empty');
for (const [path, toRoot] of [
  ['index.html', ''],
  ['documents/Errors.html', '../'],
]) {
  const [header] = /<header[^]*?<\/header>/.exec(read(`${out}/${path}`));
  for (const link of ['https://www.npmjs.com/package/', `${toRoot}documents/Changelog.html`])
    check(header.includes(`href="${link}`), `the header of ${path} has no link to ${link}`);
}
const css = read(`${out}/assets/custom.css`);
check(/table \{[^}]*overflow-x: auto/.test(css), 'a wide table does not scroll');
check(/h1,[^{]*\{[^}]*overflow-wrap: anywhere/.test(css), 'a long heading does not wrap');

const html = new Map(globSync(`${out}/**/*.html`).map((path) => [path, read(path)]));
const pages = [...html];

let codes = 0;
for (const [path, page] of pages) {
  const [, navigation = ''] =
    /<details open class="tsd-accordion tsd-page-navigation">([\s\S]*)/.exec(page) ?? [];
  const shown = textOf(navigation);
  for (const [, id, content] of page.matchAll(
    /<h[23] id="([^"]+)" class="tsd-anchor-link">(.*?)<\/h/g,
  )) {
    if (!content.includes('<code>')) continue;
    codes += 1;
    const heading = textOf(content);
    check(shown.includes(heading), `${path}: "${heading}" is not under "On This Page" (#${id})`);
  }
}
check(codes > 3, `only ${codes} headings with code were found`);

for (const [path, page] of pages)
  for (const [heading] of page.matchAll(/<h[1-6]\b(?:(?!<\/h[1-6]>)[^])*/g))
    check(heading.split('<br/>').length <= 5, `${path}: a long heading: ${textOf(heading)}`);

// One readable constructor, and names that do not wrap in the sidebar.
const signatures = textOf(read(`${out}/classes/petstore-client.PetStoreClient.html`)).match(
  /new PetStoreClient&lt;.*?\)/g,
);
check(
  signatures?.length === 1 && /\( ?options\?: PetStoreClientOptions/.test(signatures[0]),
  `the constructor is not new PetStoreClient(options?): ${signatures}`,
);
const sidebar = inflateSync(
  Buffer.from(/"(.+)"/.exec(read(`${out}/assets/navigation.js`))[1], 'base64'),
).toString();
check(!sidebar.includes('"text":"petstore-client/'), 'the sidebar repeats the name of the package');

const cited = pages.flatMap(([path, page]) =>
  [...page.matchAll(/Service interface:\s+(.{0,200})/g)].map(([, next]) => ({ path, next })),
);
check(cited.length > 20, `only ${cited.length} citations of the service interface were found`);
for (const { path, next } of cited)
  check(
    !/^(?:"|&quot;)/.test(next),
    `${path}: a citation of the service interface has no link: ${next.slice(0, 40)}`,
  );
check(
  cited.some(({ next }) => /^<a href="[^"]*documents\/[^"]+#[\w-]+"/.test(next)),
  'no citation of the service interface leads to a section of its page',
);

const documents = projectDocuments.flatMap((pattern) => globSync(pattern));
const [list, full] = ['llms.txt', 'llms-full.txt'].map((file) => read(`${out}/${file}`));
for (const [, link] of list.matchAll(/\]\(([^)]+)\)/g))
  check(existsSync(`${out}/${decodeURI(link)}`), `llms.txt: ${link} does not exist`);
for (const path of documents)
  check(full.includes(read(path).trim()), `llms-full.txt lacks ${path}`);
const listed = [...list.matchAll(/^- \[/gm)].length;
check(listed === documents.length, `llms.txt lists ${listed} of ${documents.length} documents`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function textOf(markup) {
  return markup.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}
