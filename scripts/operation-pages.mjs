// Writes one page for each operation, docs/operations/*.md, and their list in docs/index.md. `--check` fails instead when a
// file is not up to date. The facts come from the contract; what a call does comes from calls of the client to the mock
// service, so that a new operation needs no edit here.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { exampleOf, fileOf, pageOf } from './operation-page.mjs';

process.noDeprecation = true;
const load = async (path) => (await runnerImport(path, { configFile: false })).module;
const [{ openApiDocument }, { operations, pathPrefix, plans }, { PetStoreClient }, mocks] =
  await Promise.all(
    ['mocks/http/openapi.ts', 'src/contract/index.ts', 'src/index.ts', 'mocks/index.ts'].map(load),
  );
const description = openApiDocument();

/** The arguments of the client's method: path parameters, then the body or the query. */
function argumentsOf(row, { parameters = [], requestBody }) {
  const valuesIn = (where) =>
    parameters
      .filter((each) => each.in === where)
      .map(({ name, schema }) => [name, exampleOf(name, schema, description)]);
  const [params, query] = [valuesIn('path'), valuesIn('query')].map(Object.fromEntries);
  const body =
    requestBody && exampleOf(row.name, requestBody.content['application/json'].schema, description);
  const objects = [body, row.query && query].filter((each) => each !== undefined);
  return { params, query, body, values: [...Object.values(params), ...objects] };
}

/** The request and the response of one call to the mock service. */
async function exchangeOf(row, { params, query, body }) {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_whole, name) => params[name]);
  const search = row.query ? `?${new URLSearchParams(query)}` : '';
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { headers } = description.components;
  const service = mocks.createMockService({ seed: 3, clock: 'virtual' });
  const response = await service.handle(
    new Request(`https://api.petstore.example${pathPrefix}${path}${search}`, {
      method: row.method,
      headers: {
        Authorization: 'Bearer mock-free',
        ...(text !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(text !== undefined && { body: text }),
    }),
  );
  const shown = Object.keys(headers).filter((name) => response.headers.has(name));
  return {
    target: `${pathPrefix}${path}${search}`,
    text,
    status: `${response.status} ${response.statusText}`.trim(),
    headers: shown.map((name) => `${name}: ${response.headers.get(name)}`),
    body: await response.text(),
  };
}

/** The error that a call rejects with when every response has this status, and how many requests it sends. */
async function failureOf(row, values, status) {
  const service = mocks.createMockService({ clock: 'virtual' });
  let sent = 0;
  const client = new PetStoreClient({
    apiKey: `status-${status}`,
    baseUrl: 'https://failing.test',
    clock: service.clock,
    fetch: () => {
      sent += 1;
      if (status === undefined) return Promise.reject(new TypeError('fetch failed'));
      const headers = status === 429 ? { 'Retry-After': '1' } : {};
      return Promise.resolve(
        Response.json({ code: 'x', message: 'x', status }, { status, headers }),
      );
    },
  });
  const error = await client[row.name](...values).then(
    () => undefined,
    (reason) => reason,
  );
  return { status, name: error?.name, sent };
}

/** What a call with these arguments prints, with the key of the examples. */
async function printedOf(row, values) {
  const service = mocks.createMockService({ seed: 3 });
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
  return JSON.stringify(await client[row.name](...values));
}

async function factsOf(row) {
  const described = description.paths[row.path][row.method.toLowerCase()];
  const args = argumentsOf(row, described);
  const statuses = [
    ...Object.keys(row.responses)
      .map(Number)
      .filter((each) => each >= 400),
    500,
    501,
  ];
  const failures = [];
  for (const status of [...statuses, undefined])
    failures.push(await failureOf(row, args.values, status));
  return {
    row,
    described,
    description,
    plans,
    pathPrefix,
    args,
    failures,
    exchange: await exchangeOf(row, args),
    printed: await printedOf(row, args.values),
    section: sectionOf(row),
  };
}

/** The section of docs/interface.md that describes an operation. */
function sectionOf({ summary }) {
  const headings = [...readFileSync('docs/interface.md', 'utf8').matchAll(/^### (.+)$/gm)];
  return headings.map(([, heading]) => heading).find((heading) => heading.startsWith(summary));
}

function withList(index, rows) {
  const list = rows.map(
    (row) => `- [${row.name}](operations/${fileOf(row)}): ${row.summary.toLowerCase()}`,
  );
  return index.replace(
    /(<!-- operations:begin -->\n)[\s\S]*(<!-- operations:end -->)/,
    (_whole, begin, end) => `${begin}\n${list.join('\n')}\n\n${end}`,
  );
}

const rows = Object.values(operations);
const index = withList(readFileSync('docs/index.md', 'utf8'), rows);
const files = new Map([['docs/index.md', index]]);
for (const row of rows) files.set(`docs/operations/${fileOf(row)}`, pageOf(await factsOf(row)));

const old = globSync('docs/operations/*.md').filter((path) => !files.has(path));
const changed = [...files].filter(
  ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
);
if (process.argv.includes('--check')) {
  const paths = [...changed.map(([path]) => path), ...old];
  if (paths.length > 0) {
    console.error(`not what the contract says: ${paths.join(', ')}. Run: npm run operations`);
    process.exitCode = 1;
  }
} else {
  mkdirSync('docs/operations', { recursive: true });
  for (const [path, text] of changed) writeFileSync(path, text);
  for (const path of old) rmSync(path);
}
