// The Markdown page of one operation, from the facts that operation-pages.mjs has collected.

/** What the fields of bodies mean. A field without a text here has none on the pages. */
const fieldTexts = {
  name: "The animal's name.",
  categoryId: 'Identifier of the category that the animal belongs to.',
  status: 'Availability of the animal.',
  id: 'Unique identifier, assigned by the service on creation.',
};

/** The values of the examples, by the name of the parameter or field. Others get a value by their type. */
const exampleValues = { name: 'Rex', categoryId: 1, petId: 1, limit: 1, status: 'available' };

/** Two calls fail with a status of 5xx: one that the client retries, and one that it does not. */
const statusText = { 500: '500, 502, 503, 504', 501: 'other 5xx' };

/** `listPets` has the page `list-pets.md`. */
export function fileOf({ name }) {
  return `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;
}

/** A value that the schema accepts. */
export function exampleOf(name, schema, description) {
  if (Object.hasOwn(exampleValues, name)) return exampleValues[name];
  const { type, enum: values, properties, items, minimum } = dereference(schema, description);
  if (values !== undefined) return values[0];
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties).map(([field, each]) => [
        field,
        exampleOf(field, each, description),
      ]),
    );
  if (type === 'array') return [exampleOf('', items, description)];
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? (minimum ?? 1) : 'text';
}

export function pageOf(facts) {
  const { row, described } = facts;
  return `${[
    `# ${row.name}`,
    '<!-- Written by `npm run operations` from src/contract. Do not edit. -->',
    `${row.summary}: \`${row.method} ${facts.pathPrefix}${row.path}\`.`,
    ...marksOf(row),
    overviewOf(facts),
    ...parametersOf(facts),
    ...bodyOf(facts),
    ...responseOf(facts),
    errorsOf(facts),
    limitsOf(facts),
    curlOf(facts),
    typescriptOf(facts, described),
  ].join('\n\n')}\n`;
}

function marksOf({ stability, deprecated }) {
  const marks = [];
  if (stability !== 'stable')
    marks.push(
      `> [!WARNING]\n> **${stability}**: this operation may change. A call of it emits an \`unstable\` event.`,
    );
  if (deprecated)
    marks.push(
      `> [!WARNING]\n> **deprecated**: ${deprecated.advice} See [Migrating from getPet](../migrating-from-getpet.md).`,
    );
  return marks;
}

function overviewOf({ row, pathPrefix, section }) {
  const anchor = anchorOf(section ?? 'Endpoints');
  return table(
    ['', ''],
    [
      ['method and path', `\`${row.method} ${pathPrefix}${row.path}\``],
      ['method of the client', `\`client.${row.name}()\``],
      ['authentication', '`Authorization: Bearer <API_KEY>`'],
      [
        'stability',
        `${row.stability}, which is an assumption: the service interface says that some operations may be experimental or beta, and not which`,
      ],
      ['service interface', `[${section ?? 'Endpoints'}](../interface.md#${anchor})`],
    ],
  );
}

function parametersOf({ described: { parameters = [] }, description }) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: where, required, schema, description: text }) => [
    `\`${name}\``,
    where,
    typeOf(schema, description),
    required ? 'yes' : 'no',
    text ?? '–',
  ]);
  return ['## Parameters', table(['name', 'in', 'type', 'required', 'meaning'], rows)];
}

function bodyOf({ described: { requestBody }, description }) {
  const schema = requestBody?.content['application/json'].schema;
  if (schema === undefined) return [];
  return ['## Request body', `JSON (\`application/json\`).`, fieldsOf(schema, description)];
}

function responseOf({ row, described, description }) {
  const { description: text, content } = described.responses[row.success];
  const schema = content?.['application/json'].schema;
  const heading = [`## Response`, `Status ${row.success}. ${text === 'OK' ? '' : text}`.trim()];
  if (schema === undefined) return heading;
  const { type, items } = dereference(schema, description);
  const shape =
    type === 'array'
      ? 'The body is a JSON array. Each item has these fields:'
      : 'The body is a JSON object with these fields:';
  const open =
    'A newer service may send more fields, and other values than those listed. The client keeps them.';
  return [
    ...heading,
    ...boundOf(type, described, description),
    shape,
    fieldsOf(type === 'array' ? items : schema, description),
    open,
  ];
}

function boundOf(type, { parameters = [] }, description) {
  const limit = parameters.find(({ name }) => name === 'limit');
  if (type !== 'array' || limit === undefined) return [];
  const { maximum } = dereference(limit.schema, description);
  return [
    `One response has at most ${maximum} items. The service interface defines no parameter for a next page, so further items cannot be listed. A filter shows others.`,
  ];
}

function errorsOf({ described, failures }) {
  const rows = failures.map(({ status, name, sent }) => [
    status === undefined ? 'none' : (statusText[status] ?? `${status}`),
    described.responses[status]?.description ??
      (status === undefined
        ? 'The connection failed, or no response came in time (`TimeoutError`).'
        : 'The service failed. The service interface does not describe this.'),
    name === undefined ? '–' : `\`${name}\``,
    sent === 1 ? 'no' : `yes, ${sent} requests at most`,
  ]);
  return [
    '## Errors',
    'An error response of the service has a JSON body with `code`, `message` and `status`. [Errors](../errors.md) says what to do about each.',
    table(['status', 'meaning', 'error of the client', 'sent again by default'], rows),
  ].join('\n\n');
}

function limitsOf({ plans, description }) {
  const number = (value) => value.toLocaleString('en-US');
  const rows = Object.entries(plans).map(([name, plan]) => [
    `${name[0].toUpperCase()}${name.slice(1)}`,
    ...(plan === 'custom' ? ['custom', 'custom'] : [number(plan.perMinute), number(plan.perDay)]),
  ]);
  const headers = Object.entries(description.components.headers).map(([name, header]) => [
    `\`${name}\``,
    header.required ? 'every response' : 'a response with status 429',
    header.description,
  ]);
  return [
    '## Limits',
    'Each request of an API key counts. [Rate limits](../rate-limits.md) says how the client stays within them.',
    table(['plan', 'requests a minute', 'requests a day'], rows),
    table(['header', 'sent with', 'meaning'], headers),
  ].join('\n\n');
}

function curlOf({ row, exchange }) {
  const lines = [
    `curl${row.method === 'GET' ? '' : ` -X ${row.method}`} "$PETSTORE_BASE_URL${exchange.target}"`,
    '  -H "Authorization: Bearer $PETSTORE_API_KEY"',
    ...(exchange.text === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d '${exchange.text}'`]),
  ];
  const response = [`HTTP/1.1 ${exchange.status}`, ...exchange.headers, '', exchange.body];
  return [
    '## cURL',
    'To try it without a key of the service, run `npx --package=petstore-client petstore-mock`, and set `PETSTORE_BASE_URL=http://127.0.0.1:4010` and `PETSTORE_API_KEY=mock-free`.',
    fence('sh', lines.join(' \\\n')),
    'The mock responds, with three pets in its store:',
    fence('http', response.join('\n').trimEnd()),
  ].join('\n\n');
}

function typescriptOf({ row, args, printed, failures }) {
  const call = `client.${row.name}(${args.values.map(literal).join(', ')})`;
  const refused = failures.find(({ status }) => status === 401);
  return [
    '## TypeScript',
    'The mock in memory needs no network. Leave out `fetch` to call the service.',
    fence(
      'ts',
      `import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const service = createMockService({ seed: 3 });
const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });

const ${row.success === 204 ? 'nothing' : 'result'} = await ${call};
console.log(JSON.stringify(${row.success === 204 ? 'nothing' : 'result'})); // ${printed}`,
    ),
    'A call that fails rejects with one of the errors above:',
    fence(
      'ts',
      `import { ${refused.name}, PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const service = createMockService();
const client = new PetStoreClient({ apiKey: 'an-unknown-key', fetch: service.fetch });

try {
  await ${call};
} catch (error) {
  if (!(error instanceof ${refused.name})) throw error;
  console.log(error.name, error.status); // ${refused.name} 401
}`,
    ),
  ].join('\n\n');
}

function fieldsOf(schema, description) {
  const { properties, required = [] } = dereference(schema, description);
  const rows = Object.entries(properties).map(([name, each]) => [
    `\`${name}\``,
    typeOf(each, description),
    required.includes(name) ? 'yes' : 'no',
    fieldTexts[name] ?? each.description ?? '–',
  ]);
  return table(['field', 'type', 'required', 'meaning'], rows);
}

function typeOf(schema, description) {
  const {
    type,
    format,
    enum: values,
    items,
    minimum,
    maximum,
    ...rest
  } = dereference(schema, description);
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (type === 'array') return `array of ${typeOf(items, description)}`;
  return [
    format === undefined ? type : `${type} (${format})`,
    ...(minimum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(rest.default === undefined ? [] : [`default ${rest.default}`]),
  ].join(', ');
}

function dereference(schema, description) {
  const id = schema.$ref?.split('/').at(-1);
  return id === undefined ? schema : description.components.schemas[id];
}

/** A value as code in the style of the documents. */
function literal(value) {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return `${value}`;
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`);
  return `{ ${fields.join(', ')} }`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const fence = (language, code) => `\`\`\`${language}\n${code}\n\`\`\``;

function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
