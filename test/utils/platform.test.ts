import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { buildClient } from '../support/builds.js';
import { json, pet, stubFetch } from '../support/stub.js';

test('an environment without the web standards, as jest-environment-jsdom, is told at load what is missing and what to do', async () => {
  const { cjs } = await buildClient();
  // A context of its own has the language and nothing of the web, as jsdom has only a part of it.
  const load = (): unknown =>
    runInNewContext(readFileSync(cjs, 'utf8'), { module: {}, URL, AbortController, Headers });
  expect(load).toThrow(
    'petstore-client needs ReadableStream, Request, Response, TextDecoder, TextEncoder, which this environment does not' +
      ' have. Under Jest with jsdom, use the environment jest-fixed-jsdom, or begin the test file with the comment' +
      ' /** @jest-environment node */',
  );
});

test('the mock says so too, when a service is created', () => {
  vi.stubGlobal('structuredClone', undefined);
  Reflect.deleteProperty(globalThis, 'structuredClone');
  expect(() => createMockService()).toThrow(/needs structuredClone: .* jest-fixed-jsdom$/);
});

test('in a program that has closed globalThis, calls work, and what a process does once is done once within the package', async () => {
  const shared = () =>
    Object.getOwnPropertySymbols(globalThis).filter((key) =>
      String(key).includes('petstore-client'),
    );
  for (const key of shared()) Reflect.deleteProperty(globalThis, key);
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  vi.spyOn(Object, 'isExtensible').mockReturnValue(false);
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { PetStoreClient } = await import('../../src/index.js');
  const client = new PetStoreClient({ apiKey: 'closed', fetch: stubFetch(json(pet())) });
  for (let n = 0; n < 2; n += 1) expect(await client.getPet(1)).toEqual(pet());
  expect(warn).toHaveBeenCalledOnce();
  expect(shared()).toEqual([]);
});
