import * as z from 'zod/mini';
import { environmentVariable, pathPrefix } from '../../src/contract/environments.js';
import type { AssumptionsFile } from '../assumptions/file.js';
import { createClock } from '../clock/clock.js';
import type { MockClock } from '../clock/duration.js';
import { isHttpUrl } from '../http/route.js';
import { callable, checkOptions, custom, integer } from '../utils/check.js';
import { isOfKind, isRecord } from '../utils/options.js';
import { createScrubber } from './ask/scrub.js';
import { flags, type Closed, type KeyClass } from './asks.js';

/** The text for a key that is no string, such as a number: no message holds a key. */
const noText = { error: 'is not a string' };
const aPath = "must be a path that begins with '/', such as '/v1', or an empty text";

/** The options of a run. Types, defaults, checks and messages are made from these rows. */
const schema = z.strictObject({
  /** The address of the service, without the base path: `https://staging.petstore.example`. Plain `http:` only to this machine. */
  baseUrl: z.string(),
  /** The prefix of all paths. Default: `/v1`. It is not added to an address that ends in it. */
  basePath: z._default(z.string().check(z.regex(/^(?:\/[^?#]*)?$/, { error: aPath })), pathPrefix),
  /** The API key. Default: `PETSTORE_API_KEY` of the environment. */
  apiKey: z.optional(z.string(noText)),
  /** A second key, which shows whether requests are counted for each key. */
  secondKey: z.optional(z.string(noText)),
  /** What the run may do besides GET requests. Default: nothing. `'create'` includes `'posts'`. */
  allow: z._default(z.readonly(z.array(z.literal(['posts', 'create', 'rate-limit']))), []),
  /**
   * The most requests that a run sends, of every kind, 1 to 1,000. Default 40; 20 more with `allow: ['posts']` or `['create']`,
   * and 80 more with `['rate-limit']`: enough for a key of the Free plan. If they do not suffice to reach the limit of the
   * key, the run does not try.
   */
  maxRequests: z.optional(integer(1, 1_000)),
  /** ms for one request, to the last byte of its body. Default 10,000. */
  timeout: z._default(integer(1, 600_000), 10_000),
  /** Only these statements, groups of statements, and assumptions: `['list', 'answers.unknownQuery']`. A name that does not exist is a TypeError. */
  only: z.optional(custom<readonly string[]>('an array of names', Array.isArray)),
  /** The file of an earlier run: measured values that differ from it are drift. */
  recorded: z.optional(
    custom<AssumptionsFile>(
      'what readAssumptionsFile(text) gives',
      (value) => isRecord(value) && isRecord(value['assumptions']) && Array.isArray(value['open']),
    ),
  ),
  /** A function with the shape of `fetch`. Default: `globalThis.fetch`. */
  fetch: z._default(callable<typeof fetch>(), () => globalThis.fetch),
  /** The clock for all waits. Default: the system's. Pass the clock of a mock service whose time is virtual. */
  clock: z._default(
    custom<Pick<MockClock, 'now' | 'sleep'>>('a clock with now() and sleep()', (value) => {
      const { now, sleep } = (value ?? {}) as Partial<MockClock>;
      return typeof now === 'function' && typeof sleep === 'function';
    }),
    () => createClock('system', undefined),
  ),
  /** Ends the run. The report contains the results so far. */
  signal: z.optional(
    custom<AbortSignal>('an AbortSignal', (value) => isOfKind(value, 'AbortSignal')),
  ),
  /**
   * Called before each request and each wait, with a line of text about the progress, and the duration of the wait in ms (0
   * before a request).
   */
  onProgress: z._default(callable<(line: string, wait: number) => void>(), () => () => {}),
});

/**
 * Options of {@link verifyService}.
 *
 * @interface
 */
export type VerifyOptions = Readonly<z.input<typeof schema>>;

/** The options of a run, checked and filled in. */
export interface Settings extends z.output<typeof schema> {
  /** The address with the base path, without a slash at its end. */
  readonly address: string;
  readonly keys: Readonly<Partial<Record<KeyClass, string>>>;
  /** Takes the keys out of a text. */
  readonly scrub: (text: string) => string;
  /** What may not be sent, and why. */
  readonly closed: Closed;
  readonly maxRequests: number;
}

/** @throws TypeError that names the option and what it takes. The message never holds a key. */
export function readSettings(options: VerifyOptions): Settings {
  const read = checkOptions('verifyService', schema, options);
  const { allow, secondKey, apiKey = environmentVariable('PETSTORE_API_KEY') } = read;
  if (apiKey === undefined)
    throw new TypeError('verifyService needs an apiKey, or PETSTORE_API_KEY in the environment');
  const given = secondKey === undefined ? [apiKey] : [apiKey, secondKey];
  if (given.some((key) => !/^[\x21-\x7e]+$/.test(key)))
    throw new TypeError('A key is one or more visible ASCII characters without spaces');
  if (apiKey === secondKey) throw new TypeError('secondKey must be another key than apiKey');
  const { origin, pathname } = readUrl(read.baseUrl);
  const [path, basePath] = [pathname, read.basePath].map((text) => text.replace(/\/+$/, ''));
  const open: string[] = [...allow];
  if (allow.includes('create')) open.push('posts');
  if (secondKey !== undefined) open.push('second-key');
  const closed: Closed = Object.fromEntries(
    Object.entries(flags).filter(([need]) => !open.includes(need)),
  );
  // Enough for all allowed requests on the Free plan.
  const enough = 40 + (closed.posts ? 0 : 20) + (closed['rate-limit'] ? 0 : 80);
  return {
    ...read,
    address: origin + path! + (path!.endsWith(basePath!) ? '' : basePath!),
    basePath: basePath!,
    keys: {
      own: apiKey,
      // A key that no service knows.
      invalid: 'petstore-verify-invalid-key',
      ...(secondKey !== undefined && { second: secondKey }),
    },
    scrub: createScrubber(given),
    closed,
    maxRequests: read.maxRequests ?? enough,
  };
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function readUrl(baseUrl: string): URL {
  if (!isHttpUrl(baseUrl))
    throw new TypeError(
      'baseUrl must be an absolute address, such as https://staging.petstore.example, or http://localhost:4010',
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
