import * as z from 'zod/mini';
import { pathPrefix } from '../../src/contract/index.js';
import { environmentVariable } from '../../src/contract/environments.js';
import { createClock } from '../clock/clock.js';
import { callable, checkOptions, custom, integer, optional } from '../utils/check.js';
import { isRecord } from '../utils/options.js';
import { createScrubber } from './ask/scrub.js';
import type { Ask, KeyClass } from './asks.js';
import type { Permit, VerifyOptions } from './types.js';

/** The options of a run, checked and filled in. */
export interface Settings {
  /** The address with the base path, without a slash at its end. */
  readonly address: string;
  readonly origin: string;
  readonly basePath: string;
  readonly keys: Readonly<Partial<Record<KeyClass, string>>>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: NonNullable<VerifyOptions['clock']>;
  /** ms for one request, to the last byte of its body. */
  readonly timeout: number;
  /** Takes the keys out of a text. */
  readonly scrub: (text: string) => string;
  readonly signal: AbortSignal | undefined;
  /** What may be sent besides GET requests with one key. */
  readonly allowed: ReadonlySet<Ask['needs']>;
  readonly maxRequests: number;
  readonly only: readonly string[] | undefined;
  readonly onProgress: NonNullable<VerifyOptions['onProgress']>;
}

const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];
const aFunction = callable();
const optionsSchema = optional({
  baseUrl: z.string(),
  basePath: custom<string>(
    "a path that begins with '/', such as '/v1', or an empty text",
    (value) => value === '' || /^\/[^?#]*$/.test(value as string),
  ),
  apiKey: z.string(),
  secondKey: z.string(),
  allow: custom<readonly Permit[]>(
    `an array of ${permits.join(', ')}`,
    (value) => Array.isArray(value) && value.every((one) => permits.includes(one as Permit)),
  ),
  maxRequests: integer(1, 1_000),
  timeout: integer(1, 600_000),
  only: custom('an array of names', Array.isArray),
  recorded: custom('what readAssumptionsFile(text) gives', isRecord),
  fetch: aFunction,
  clock: custom('a clock with now() and sleep()', isRecord),
  signal: custom('an AbortSignal', isRecord),
  onProgress: aFunction,
});

/** @throws TypeError that names the option and what it takes. The message never holds a key. */
export function readSettings(options: VerifyOptions): Settings {
  checkOptions('verifyService', optionsSchema, options);
  const { secondKey, allow = [], fetch = globalThis.fetch } = options;
  const apiKey = options.apiKey ?? environmentVariable('PETSTORE_API_KEY');
  if (apiKey === undefined)
    throw new TypeError('verifyService needs an apiKey, or PETSTORE_API_KEY in the environment');
  const given = secondKey === undefined ? [apiKey] : [apiKey, secondKey];
  if (given.some((key) => !/^[\x21-\x7e]+$/.test(key)))
    throw new TypeError('A key is one or more visible ASCII characters without spaces');
  if (apiKey === secondKey) throw new TypeError('secondKey must be another key than apiKey');
  const url = readUrl(options.baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const basePath = (options.basePath ?? pathPrefix).replace(/\/+$/, '');
  const allowed = new Set<Ask['needs']>([undefined, ...allow]);
  if (allowed.has('create')) allowed.add('posts');
  if (secondKey !== undefined) allowed.add('second-key');
  // Enough for all that is allowed on the Free plan.
  const enough = 40 + (allowed.has('posts') ? 20 : 0) + (allowed.has('rate-limit') ? 80 : 0);
  return {
    address: url.origin + (basePath !== '' && path.endsWith(basePath) ? path : path + basePath),
    origin: url.origin,
    basePath,
    keys: {
      own: apiKey,
      // No service knows it.
      invalid: 'petstore-verify-invalid-key',
      ...(secondKey !== undefined && { second: secondKey }),
    },
    fetch: (...args) => fetch(...args),
    clock: options.clock ?? createClock('system', undefined),
    timeout: options.timeout ?? 10_000,
    scrub: createScrubber(given),
    signal: options.signal,
    allowed,
    maxRequests: options.maxRequests ?? enough,
    only: options.only,
    onProgress: options.onProgress ?? (() => {}),
  };
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function readUrl(baseUrl: string): URL {
  if (!URL.canParse(baseUrl))
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
