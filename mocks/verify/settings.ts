import { pathPrefix } from '../../src/contract/index.js';
import { environmentVariable } from '../../src/contract/environments.js';
import { createClock } from '../clock/clock.js';
import { checkOptions, integerFrom, isRecord, type OptionRule } from '../utils/options.js';
import { createScrubber } from './ask/scrub.js';
import type { Sender } from './ask/send.js';
import type { Ask } from './asks.js';
import type { Permit, VerifyOptions } from './types.js';

/** The options of a run, checked and filled in. */
export interface Settings {
  readonly sender: Sender;
  readonly origin: string;
  readonly basePath: string;
  /** What may be sent besides GET requests with one key. */
  readonly allowed: ReadonlySet<Ask['needs']>;
  readonly maxRequests: number;
  readonly only: readonly string[] | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];
const aText = { takes: 'a text', is: (value: unknown) => typeof value === 'string' };
const aFunction = { takes: 'a function', is: (value: unknown) => typeof value === 'function' };
const rules: Readonly<Record<keyof VerifyOptions, OptionRule>> = {
  baseUrl: aText,
  basePath: {
    takes: "a path that begins with '/', such as '/v1', or an empty text",
    is: (value) => value === '' || /^\/[^?#]*$/.test(value),
  },
  apiKey: aText,
  secondKey: aText,
  allow: {
    takes: `an array of ${permits.join(', ')}`,
    is: (value: unknown) =>
      Array.isArray(value) && value.every((one) => permits.includes(one as Permit)),
  },
  maxRequests: integerFrom(1, 1_000),
  timeout: integerFrom(1, 600_000),
  only: { takes: 'an array of names', is: Array.isArray },
  recorded: { takes: 'what readAssumptionsFile(text) gives', is: isRecord },
  fetch: aFunction,
  clock: { takes: 'a clock with now() and sleep()', is: isRecord },
  signal: { takes: 'an AbortSignal', is: isRecord },
  onProgress: aFunction,
};

/** Enough for all cases on the Free plan. */
function defaultMaxRequests(allow: readonly Permit[]): number {
  const hasPosts = allow.includes('posts') || allow.includes('create');
  return 40 + (hasPosts ? 20 : 0) + (allow.includes('rate-limit') ? 80 : 0);
}

/** A key that no service knows. */
const invalidKey = 'petstore-verify-invalid-key';

/** @throws TypeError or RangeError that names the option and what it takes. The message never holds a key. */
export function readSettings(options: VerifyOptions): Settings {
  if ('maxPets' in options)
    throw new TypeError("maxPets is no longer there: allow: ['create'] creates 3 pets");
  checkOptions('verifyService', options, rules);
  const { basePath = pathPrefix, secondKey, clock = createClock('system', undefined) } = options;
  const apiKey = options.apiKey ?? environmentVariable('PETSTORE_API_KEY');
  if (apiKey === undefined)
    throw new TypeError('verifyService needs an apiKey, or PETSTORE_API_KEY in the environment');
  for (const key of [apiKey, secondKey])
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
      throw new TypeError('A key is one or more visible ASCII characters without spaces');
  if (apiKey === secondKey) throw new TypeError('secondKey must be another key than apiKey');
  const url = readUrl(options.baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const base = basePath.replace(/\/+$/, '');
  const address = url.origin + (base !== '' && path.endsWith(base) ? path : path + base);
  const fetch = options.fetch ?? globalThis.fetch;
  return {
    sender: {
      address,
      keys: {
        own: apiKey,
        invalid: invalidKey,
        ...(secondKey !== undefined && { second: secondKey }),
      },
      fetch: (...given) => fetch(...given),
      now: () => clock.now(),
      timeout: options.timeout ?? 10_000,
      scrub: createScrubber([apiKey, ...(secondKey === undefined ? [] : [secondKey])]),
      signal: options.signal,
    },
    origin: url.origin,
    basePath: base,
    allowed: new Set<Ask['needs']>([
      undefined,
      ...(options.allow ?? []),
      ...(options.allow?.includes('create') === true ? (['posts'] as const) : []),
      ...(secondKey === undefined ? [] : (['second-key'] as const)),
    ]),
    maxRequests: options.maxRequests ?? defaultMaxRequests(options.allow ?? []),
    only: options.only,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function readUrl(baseUrl: unknown): URL {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl))
    throw new TypeError(
      'baseUrl must be an absolute address, such as https://staging.petstore.example',
    );
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must hold no user name and no password');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname)))
    return url;
  throw new TypeError(
    `baseUrl must be https: the API key would be sent in the clear to ${url.protocol}//${url.hostname}. Plain http: is for this machine only`,
  );
}
