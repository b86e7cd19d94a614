import { afterEach, expect, test, vi } from 'vitest';
import { ConfigurationError, type RequestOptions } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

afterEach(() => vi.unstubAllEnvs());

test.each([
  [{ timeout: 0 }, 'timeout must be a number of ms above 0'],
  [{ totalTimeout: -1 }, 'totalTimeout must be a number of ms above 0'],
  [{ maxWait: -1 }, 'maxWait must be a number of ms from 0 up, got -1'],
  [{ maxHold: NaN }, 'maxHold must be a number of ms from 0 up, got NaN'],
  [{ retry: { limit: 99 } }, 'retry.limit must be an integer from 0 to 10'],
  [{ validation: 'x' }, 'validation must be one of tolerant, strict'],
  [{ priority: 'low' }, 'priority must be one of normal, high'],
  [{ headers: { Authorization: 'x' } }, 'headers: authorization cannot be set here'],
  [
    { signal: { aborted: true } },
    'signal must be an AbortSignal (of an AbortController, pass its signal), got ',
  ],
  [
    { signal: new EventTarget() },
    'signal must be an AbortSignal (of an AbortController, pass its signal), got ',
  ],
  [
    { signal: null },
    'signal must be an AbortSignal (of an AbortController, pass its signal), got ',
  ],
  [{ headers: null }, 'headers must be an object of names and values, or Headers, got null'],
  [{ headers: 'abc' }, 'headers must be an object of names and values, or Headers, got a string'],
  [{ headers: [5] }, 'headers: an iterable must yield [name, value] pairs'],
  [{ headers: new Map([['x-trace', 'a\nb']]) }, 'headers: the value of x-trace cannot be sent'],
  [
    { signal: new AbortController() },
    'signal must be an AbortSignal (of an AbortController, pass its signal), got ',
  ],
  [{ signl: 1 }, 'unknown option of the call: signl: did you mean signal?'],
  [{ timeOut: 1 }, 'unknown option of the call: timeOut: did you mean timeout?'],
  [null, 'the options of the call must be an object, such as { signal, timeout: 5000 }; got null'],
])('the options of a call %j are refused, and nothing is sent', async (options, message) => {
  const fetch = stubFetch();
  const error = await rejection<ConfigurationError>(
    stubClient(fetch).listPets({}, options as RequestOptions),
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.operation).toBe('listPets');
  expect(error.message).toMatch(/^listPets on pets\.test: /);
  expect(error.message).toContain(message);
  expect(fetch.sent).toEqual([]);
});

test('headers of the client and of the call are sent together, those of the call first', async () => {
  const fetch = stubFetch(json([]));
  const pets = stubClient(fetch, { headers: { 'X-A': '1', 'X-B': '1', Accept: 'text/html' } });
  await pets.listPets({}, { headers: new Headers({ 'x-b': '2', 'x-c': 'é' }) });
  await pets.listPets();
  expect([...fetch.sent[0]!.headers].filter(([name]) => name !== 'authorization')).toEqual([
    ['accept', 'application/json'],
    ['user-agent', expect.stringMatching(/^petstore-client\/\d/)],
    ['x-a', '1'],
    ['x-b', '2'],
    ['x-c', 'é'],
  ]);
  expect(fetch.sent[1]!.headers.get('x-b')).toBe('1');
});
