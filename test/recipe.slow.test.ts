// Carries out the recipes of CONTRIBUTING.md on a copy of the sources: the code of an operation is five edits at most, that of a field three.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test, vi } from 'vitest';
import { allowedMethods } from './support/allowed.js';
import { temporaryFolder } from './support/temporary-folder.js';
import * as z from 'zod/mini';
import { jsonSchema } from '../mocks/control/route.js';
import type * as tableModule from '../mocks/assumptions/assumptions.js';
import type * as typesModule from '../mocks/service/types.js';
import type * as clientModule from '../src/index.js';
import type * as routesModule from '../mocks/control/routes.js';
import type * as optionsModule from '../mocks/standalone/cli/options.js';
import type * as textModule from '../mocks/standalone/cli/text.js';
import type * as mocksModule from '../mocks/index.js';
import type * as serverModule from '../mocks/server.js';

const root = join(import.meta.dirname, '..');

type Edit = readonly [file: string, before: string, after: string];

/** A copy of the sources with the edits made in it. */
function copyWith(edits: readonly Edit[]): string {
  const copy = temporaryFolder(join(root, 'temp'));
  for (const folder of ['src', 'mocks', 'scripts/openapi.mjs', 'openapi.json'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  for (const [file, before, after] of edits) {
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text.split(before), `${file} has the place of the edit once`).toHaveLength(2);
    const edited = text.replace(before, () => after);
    writeFileSync(join(copy, file), edited);
  }
  return copy;
}

/** What the compiler says of a copy. */
async function typeErrors(copy: string): Promise<string> {
  const config = { extends: '../../tsconfig.json', include: ['src', 'mocks'] };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript7/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', copy]).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  );
}

const description = (copy: string): unknown =>
  JSON.parse(readFileSync(join(copy, 'openapi.json'), 'utf8'));

/** A module of a copy, with the types of the sources. */
const load = async <Module>(copy: string, file: string): Promise<Module> =>
  (await import(/* @vite-ignore */ join(copy, file))) as Module;

/** The copy of the client has a method more than the type says. */
interface WithArchive {
  archivePet(petId: number | bigint): Promise<undefined>;
}

/** An edit that puts text in front of what stands in a file. */
const before = (file: string, place: string, text: string): Edit => [file, place, text + place];

const handlers = 'mocks/pets/handlers.ts';
// No operation that the service may get one day: the recipe must still hold when `deletePet` is there.
const archivePet = [
  before(
    'src/contract/operations.ts',
    '} as const satisfies Record<string, Operation>;',
    `  archivePet: {
    name: 'archivePet',
    summary: 'Archive an animal',
    method: 'PUT',
    path: '/pets/{petId}/archive',
    params: { petId: Int64Schema },
    success: 204,
    responses: { 204: undefined, 401: ErrorSchema, 404: ErrorSchema, 429: undefined },
    stability: 'stable',
  },\n`,
  ),
  before(
    'src/client.ts',
    '  getPet(petId: number | bigint, options?: RequestOptions): ResponsePromise<Pet<Mode>> {',
    `  archivePet(petId: number | bigint, options?: RequestOptions): ResponsePromise<undefined> {
    const params = { petId };
    return send(() => this.#transport, { row: operations.archivePet, params }, options);
  }\n\n`,
  ),
  before(
    handlers,
    '  getPet: { readonly petId: number | bigint };',
    '  archivePet: { readonly petId: number | bigint };\n  /** The path parameter. */\n',
  ),
  before(handlers, '  getPet: MockPet;', '  archivePet: undefined;\n  /** The pet. */\n'),
  before(
    handlers,
    '  createPet: {',
    `  archivePet: {
    read: readPetId,
    run: ({ petId }, store) => (store.remove(petId) ? undefined : petNotFound(petId)),
  },\n`,
  ),
];

// Nor a field that a pet may get one day.
const field = '  /** A field of this test. */\n  sampleField?: string | undefined;\n';
const schema = '  sampleField: /* @__PURE__ */ z.optional(text),\n';
const sampleField = [
  before('src/contract/schemas.ts', '};\nconst petShape', schema),
  before('src/types.ts', "  /** The animal's name. No bound", field),
];

const rex = { name: 'Rex', categoryId: 1, sampleField: 'kept' };

/** Both recipes carried out on one copy, and `npm run openapi`. */
let copy: string;
let made: typeof clientModule & typeof mocksModule & typeof serverModule;
beforeAll(async () => {
  copy = copyWith([...archivePet, ...sampleField]);
  await promisify(execFile)(process.execPath, ['scripts/openapi.mjs'], { cwd: copy });
  made = {
    ...(await load<typeof clientModule>(copy, 'src/index.ts')),
    ...(await load<typeof mocksModule>(copy, 'mocks/index.ts')),
    ...(await load<typeof serverModule>(copy, 'mocks/server.ts')),
  };
});

test('the sources with the edits of both recipes compile', async () => {
  expect(await typeErrors(copy)).toBe('');
});

test('an operation is a row, a method, an input reader and a resolver: client, service, port, OpenAPI and snapshot follow, which keeps the field of the other recipe too; an override with a body where the contract has none is a defect of the mock', async () => {
  expect(new Set(archivePet.map(([file]) => file)).size).toBeLessThanOrEqual(5);
  const { PetStoreClient, NotFoundError, createMockService, serve } = made;

  const drive = async (options: clientModule.PetStoreClientOptions) => {
    const all = { apiKey: 'mock-free', maxRetries: 0, ...options };
    const client = new PetStoreClient(all) as clientModule.PetStoreClient & WithArchive;
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1 });
    expect(await client.archivePet(id)).toBeUndefined();
    await expect(client.archivePet(id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await client.listPets()).some((pet) => pet.id === id)).toBe(false);
    return client;
  };

  const service = createMockService();
  const client = await drive({ fetch: service.fetch });
  expect(service.requests.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
    'createPet 201',
    'archivePet 204',
    'archivePet 404',
    'listPets 200',
  ]);
  const kept = await client.createPet(rex);
  expect(kept).toMatchObject(rex);
  const restored = createMockService();
  restored.restore(JSON.parse(JSON.stringify(service.snapshot())) as mocksModule.Snapshot);
  expect(restored.pets.list()).toEqual([kept]);

  vi.spyOn(console, 'error').mockReturnValue();
  service.override('archivePet' as 'getPet', () => kept as never);
  await expect(client.archivePet(1)).rejects.toMatchObject({ status: 501 });
  expect(service.report().mockDefects).toBe(1);

  const server = await serve(createMockService(), { port: 0 });
  try {
    await drive({ baseUrl: server.url });
    const preflight = await fetch(`${server.url}/v1/pets/1/archive`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'PUT' },
    });
    const methods = [...allowedMethods(), 'PUT'].join(', ');
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe(methods);
    const responses = { 204: { description: 'Done. The response has no body.' }, 404: {} };
    const put = { operationId: 'archivePet', responses };
    const paths = { '/pets/{petId}/archive': { put } };
    expect(await (await fetch(`${server.url}/openapi.json`)).json()).toMatchObject({ paths });
    expect(description(copy)).toMatchObject({ paths });
  } finally {
    await server.close();
  }
});

test('a field of a pet is three edits at most: client, service and OpenAPI follow', async () => {
  expect(sampleField.length).toBeLessThanOrEqual(3);
  const { PetStoreClient, createMockService } = made;
  const drifts: string[] = [];
  const service = createMockService();
  const onEvent: clientModule.PetStoreClientOptions['onEvent'] = (event) => {
    if (event.type === 'drift') drifts.push(event.value);
  };
  const { fetch } = service;
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch, validation: 'strict', onEvent });
  const pet = await client.createPet(rex);
  expect(pet).toMatchObject(rex);
  expect(await client.listPets()).toEqual([pet]);
  expect(service.pets.get(pet.id)).toMatchObject(rex);
  expect(drifts).toEqual([]);
  await expect(client.createPet({ ...rex, sampleField: 5 } as never)).rejects.toThrow(
    'sampleField must be a string, got a number',
  );
  const properties = { sampleField: { type: 'string' } };
  const schemas = { NewPet: { properties }, Pet: { properties } };
  expect(description(copy)).toMatchObject({ components: { schemas } });
});

test('a changed row of the assumptions, of the options, the control API or the flags changes all that is made from it', async () => {
  const copy = copyWith([
    ['mocks/assumptions/table.ts', "choice('id-ascending'", "choice('by-name', 'id-ascending'"],
    ['mocks/control/routes/service.ts', "'GET /clock'", "'GET /time'"],
    ['mocks/control/routes/keys.ts', "z.literal(['minute', 'day'])", "z.literal('day')"],
    ['mocks/service/types.ts', 'integer(0), 10_000', 'z.literal([0, 4]), 4'],
    ['mocks/standalone/cli/options.ts', "'4010'", "'5010'"],
  ]);
  const probe = `import { type GivenAssumptions, type MockServiceOptions } from './index.js';
    export const order: GivenAssumptions = { listOrder: 'by-name' };
    export const four: MockServiceOptions = { journalLimit: 4 };
    // @ts-expect-error the row has no such value now
    export const six: MockServiceOptions = { journalLimit: 6 };`;
  writeFileSync(join(copy, 'mocks/probe.ts'), probe);
  expect(await typeErrors(copy)).toBe('');

  const mocks = await load<typeof mocksModule>(copy, 'mocks/index.ts');
  const { createMockService, defaultAssumptions } = mocks;
  expect(defaultAssumptions.listOrder).toBe('by-name');
  const listOrder = 'none' as 'shuffled';
  expect(() => createMockService({ assumptions: { listOrder } })).toThrow(
    'assumptions.listOrder must be one of "by-name", "id-ascending", "id-descending", "shuffled", got \'none\'',
  );
  expect(() => createMockService({ journalLimit: 6 })).toThrow('must be one of 0, 4, got 6');
  const service = createMockService();
  for (let sent = 0; sent < 6; sent++) await service.fetch('https://x.test/v1/pets');
  expect(service.requests).toHaveLength(4);
  const table = await load<typeof tableModule>(copy, 'mocks/assumptions/assumptions.ts');
  expect(table.candidates.get('listOrder')).toContain('by-name');
  const { serviceOptions } = await load<typeof typesModule>(copy, 'mocks/service/types.ts');
  const journalLimit = { enum: [0, 4], default: 4 };
  expect(jsonSchema(z.object(serviceOptions)).properties).toMatchObject({ journalLimit });
  const { controlDescription } = await load<typeof routesModule>(copy, 'mocks/control/routes.ts');
  const described = JSON.stringify(controlDescription());
  expect(described).toContain('"enum":["by-name","id-ascending","id-descending","shuffled"]');
  expect(described).toContain('"exhaust":{"type":"string","const":"day"}');
  expect(described).toMatch(/"\/_mock\/time":\{"get".*"\/_mock\/clock":\{"post"/);
  const cli = 'mocks/standalone/cli';
  const { readOptions } = await load<typeof optionsModule>(copy, `${cli}/options.ts`);
  const { help } = await load<typeof textModule>(copy, `${cli}/text.ts`);
  expect([readOptions([]).port, help({})]).toEqual([5010, expect.stringContaining('(5010)')]);
});
