// The examples that stand between a visitor and the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import type { MockService } from '../../mocks/service/types.js';
import { PetStoreClient } from '../../src/index.js';
import { atEnd } from '../support/at-end.js';
import { example, linkExample, loadExample, runTool } from '../support/example.js';
import { served } from '../support/served.js';
import { chromiumOptions } from '../support/chromium.js';

const secret = 'k-5e6a7b8c9d';
const withKey = (): MockService =>
  createMockService({ clock: 'virtual', seed: 30, keys: { [secret]: { plan: 'free' } } });

type Shop = { request(path: string, init?: RequestInit): Promise<Response> };

test('the Hono route lists available pets, responds to an exhausted minute with Retry-After, and never shows the key', async () => {
  const { createShop } = (await loadExample('hono/shop.mjs')) as {
    createShop: (client: PetStoreClient) => Shop;
  };
  const service = withKey();
  const { fetch, clock } = service;
  const options = { fetch, clock, apiKey: secret, maxRetries: 0, maxWait: 2_000 };
  const shop = createShop(new PetStoreClient(options));
  const ask = (init?: RequestInit) => shop.request('/api/pets', init);
  const logged = vi.spyOn(console, 'error').mockReturnValue();

  const offered = (await (await ask()).json()) as { id: number; name: string }[];
  const available = service.pets.list().filter(({ status }) => status === 'available');
  expect(offered.length).toBeGreaterThan(0);
  expect(offered.map(({ name }) => name).sort()).toEqual(available.map(({ name }) => name).sort());
  expect(Object.keys(offered[0] ?? {})).toEqual(['id', 'name']);

  service.faults.add({ status: 500, times: 1 });
  const broken = await ask();
  const message = 'The shop is not available at the moment.';
  expect([broken.status, await broken.json()]).toEqual([502, { message }]);
  expect((await ask({ signal: AbortSignal.abort() })).status).toBe(499);
  expect(logged).toHaveBeenCalledOnce();
  expect(JSON.stringify(logged.mock.calls)).not.toContain(secret);

  service.keys.get(secret).exhaust('minute');
  await ask();
  const busy = await ask();
  expect(busy.status).toBe(503);
  expect(Number(busy.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await busy.text()).not.toContain(secret);
  service.report().assertPolite();
});

test('the Hono server starts from a shell with the address and the key from environment variables', async () => {
  const { url } = await served(withKey());
  const env = { ...process.env, PETSTORE_BASE_URL: url, PETSTORE_API_KEY: secret, PORT: '0' };
  const child = spawn(process.execPath, [example('hono/server.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const response = await fetch(line.toString().trim(), { headers: { Connection: 'close' } });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect((JSON.parse(text) as unknown[]).length).toBeGreaterThan(0);
  expect(text).not.toContain(secret);
});

type Miniflare = new (options: object) => {
  dispatchFetch(url: string): Promise<Response>;
  dispose(): Promise<void>;
};

test('the Cloudflare worker runs in workerd with the key of its environment, and responds to an exhausted minute with Retry-After', async () => {
  const folder = linkExample('cloudflare-worker', 'miniflare');
  const config = JSON.parse(readFileSync(resolve(folder, 'wrangler.json'), 'utf8')) as {
    main: string;
    compatibility_date: string;
  };
  const miniflare = resolve(folder, 'node_modules/miniflare/dist/src/index.js');
  const { Miniflare } = (await import(pathToFileURL(miniflare).href)) as { Miniflare: Miniflare };
  const bundle = await build({
    entryPoints: [resolve(folder, config.main)],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  });
  const service = withKey();
  const worker = new Miniflare({
    modules: true,
    script: bundle.outputFiles[0]?.text,
    compatibilityDate: config.compatibility_date,
    bindings: { PETSTORE_API_KEY: secret, PETSTORE_BASE_URL: (await served(service)).url },
    cf: false,
  });
  atEnd(() => worker.dispose());

  const ask = (path = '/pets') => worker.dispatchFetch(`http://shop.example${path}`);

  const pets = (await (await ask()).json()) as { status: string }[];
  expect(pets.length).toBeGreaterThan(0);
  expect(pets.every(({ status }) => status === 'available')).toBe(true);
  expect((await ask('/')).status).toBe(404);
  expect(service.requests).toHaveLength(1);

  const crowd = await Promise.all(Array.from({ length: 10 }, () => ask()));
  expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([200]));

  service.keys.get(secret).exhaust('day');
  const busy = await ask();
  expect(busy.status).toBe(503);
  expect(Number(busy.headers.get('Retry-After'))).toBeGreaterThan(60);
  service.report().assertPolite();
}, 180_000);

/** The example itself must fail when what it tests is broken; here it counts that its tests have run, all of them. */
test.each([
  ['vitest', 'vitest/vitest.mjs', 'run', /Tests\s+6 passed \(6\)/],
  ['playwright', 'playwright/cli.js', 'test', /3 passed/],
])('the suite of the example %s passes, with all its tests', async (name, tool, command, says) => {
  const env = { CHROMIUM: chromiumOptions.executablePath };
  const ended = await runTool(resolve('node_modules', tool), [command], example(name), env);
  expect(`${ended.out}${ended.err}`).toMatch(says);
  expect(ended.code).toBe(0);
});

test('the TypeScript of the examples has no type errors', async () => {
  const compiler = resolve('node_modules/typescript7/bin/tsc');
  const checked = ['vitest', 'web-app'].map((name) =>
    runTool(compiler, ['--project', example(name)], example(name)),
  );
  for (const { code, out } of await Promise.all(checked))
    expect({ code, out }).toEqual({ code: 0, out: '' });
});
