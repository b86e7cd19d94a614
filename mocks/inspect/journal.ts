import { parseJson } from '../../src/contract/json.js';
import { operations, type Environment, type OperationName } from '../../src/contract/index.js';
import {
  checkOptions,
  checkService,
  integerFrom,
  oneOf,
  type OptionRule,
} from '../utils/options.js';
import { isNestedDeeper } from '../utils/json.js';

/** One request as the service received it. No header is kept; an unknown key is replaced by a hash that identifies it. */
export interface RecordedRequest {
  /** Counts from 1 over the life of the service (from 1 again after `reset()`). */
  readonly number: number;
  /** The environment whose address was called. */
  readonly environment: Environment;
  /** When it arrived, ms since the epoch on the service's clock. */
  readonly at: number;
  /** When it was answered; undefined while it is not. */
  readonly answeredAt: number | undefined;
  /** The operation; undefined for an unknown path, a wrong method, a removed operation, or the route of an override. */
  readonly operation: OperationName | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path, with the `/v1` prefix, without the query. */
  readonly path: string;
  /** The query; the last value of a repeated parameter. */
  readonly query: Readonly<Record<string, string>>;
  /**
   * The body: JSON as its value; anything else, and JSON nested more than 100 levels deep, as text. Undefined where
   * there was none, or it was not read (a request without a valid key or beyond its quota).
   */
  readonly body: unknown;
  /**
   * The input of the operation: `{ limit, status }`, the body of `createPet`, or `{ petId }`. Undefined for
   * a request that was rejected earlier (for its key or quota, or as invalid).
   */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The key, if the service knows it; `unknown-` and eight hexadecimal digits for another one; undefined where there was none. */
  readonly key: string | undefined;
  /** The status of the response; undefined for a broken connection, and while there is no response. */
  readonly status: number | undefined;
  /** Names of the faults that took effect on it, as a {@link Fault} spells them. */
  readonly faults: readonly string[];
  /** Whether it arrived during a cool-down (after a 429, before its wait was over) or a ban. */
  readonly inCoolDown: boolean;
  /** `X-RateLimit-Remaining` of its response. */
  readonly remaining: number | undefined;
}

/** The record of a request in flight. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

/** The fields to match; a field that is left out matches anything. */
export interface RequestFilter {
  /** Of this operation. */
  readonly operation?: OperationName;
  /** Sent to this environment. */
  readonly environment?: Environment;
  /** With this key, as {@link RecordedRequest.key} spells it. */
  readonly key?: string;
  /** With this HTTP method. */
  readonly method?: string;
  /** Answered with this status. */
  readonly status?: number;
  /** Name of a fault that hit it. */
  readonly fault?: string;
  /** Whether it arrived during a cool-down or a ban. */
  readonly inCoolDown?: boolean;
  /** Arrived at this time or later, ms since the epoch. */
  readonly since?: number;
}

/**
 * The requests of a service that match, oldest first.
 *
 * @throws TypeError or RangeError for an unknown field of the filter, and for a value that no request can have.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService, findRequests } from 'petstore-client/mocks';
 *
 * const service = createMockService();
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
 * await client.createPet({ name: 'Rex', categoryId: 1 });
 * console.log(findRequests(service, { operation: 'createPet', status: 201 }).length); // 1
 * ```
 */
export function findRequests(
  from: { readonly requests: readonly RecordedRequest[] },
  filter: RequestFilter,
): readonly RecordedRequest[] {
  checkService('findRequests', from, 'requests');
  checkOptions('findRequests', filter, filterRules);
  const { fault, since = -Infinity, ...same } = filter;
  const fields = Object.entries(same) as [keyof RecordedRequest, unknown][];
  return from.requests.filter(
    (request) =>
      request.at >= since &&
      (fault === undefined || request.faults.includes(fault)) &&
      fields.every(([name, value]) => value === undefined || request[name] === value),
  );
}

const isText: OptionRule = { takes: 'a text', is: (value) => typeof value === 'string' };
const filterRules: Readonly<Record<keyof RequestFilter, OptionRule>> = {
  operation: oneOf(...Object.keys(operations)),
  environment: oneOf('production', 'staging'),
  key: isText,
  method: isText,
  status: integerFrom(100, 599),
  fault: isText,
  inCoolDown: oneOf(true, false),
  since: { takes: 'ms since the epoch', is: (value) => typeof value === 'number' },
};

/** A record with what it counts towards the bytes of the journal. */
interface Entry {
  readonly record: OpenRecord;
  bytes: number;
}

/** The newest requests, within a number of requests and of bytes. */
export class Journal {
  readonly #limit: number;
  readonly #byteLimit: number;
  #entries: Entry[] = [];
  /** The index of the oldest entry that is kept. */
  #first = 0;
  #bytes = 0;
  #count = 0;

  constructor(limit: number, byteLimit: number) {
    this.#limit = limit;
    this.#byteLimit = byteLimit;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#entries.slice(this.#first).map(({ record }) => record);
  }

  add(fields: Omit<OpenRecord, 'number'>): OpenRecord {
    const record = fields as OpenRecord;
    record.number = ++this.#count;
    if (this.#limit === 0) return record;
    const bytes = 2 * (record.path.length + record.method.length);
    this.#entries.push({ record, bytes });
    this.#bytes += bytes;
    this.#trim();
    return record;
  }

  /** Adds a field that was read later: `text`, parsed when the field is read. */
  addText(record: OpenRecord, field: 'query' | 'body', text: string): void {
    // Parsed on first access, because most entries of the journal are never read.
    const read = field === 'body' ? () => jsonOrText(text) : () => queryOf(text);
    Object.defineProperty(record, field, { get: read, enumerable: true, configurable: true });
    const entry = this.#entries.findLast((one) => one.record === record);
    if (!entry) return;
    entry.bytes += 2 * text.length;
    this.#bytes += 2 * text.length;
    this.#trim();
  }

  save(): JournalState {
    return {
      entries: this.#entries.slice(this.#first).map(({ record, bytes }) => ({
        // Complete records never change, so they may be shared. The others are no longer in flight after a restore.
        record: Object.isFrozen(record) ? record : Object.freeze({ ...record }),
        bytes,
      })),
      count: this.#count,
    };
  }

  load({ entries, count }: JournalState): void {
    this.#entries = entries.map((entry) => ({ ...entry }));
    this.#first = 0;
    this.#bytes = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#count = count;
  }

  /** Drops the oldest entries beyond the limits; the newest one always stays. */
  #trim(): void {
    const entries = this.#entries;
    while (
      entries.length - this.#first > this.#limit ||
      (this.#bytes > this.#byteLimit && entries.length - this.#first > 1)
    ) {
      this.#bytes -= entries[this.#first]!.bytes;
      entries[this.#first++] = undefined as unknown as Entry;
    }
    // Cut rarely, so that adding one entry stays cheap.
    if (this.#first < 1_024 || this.#first * 2 < entries.length) return;
    this.#entries = entries.slice(this.#first);
    this.#first = 0;
  }
}

/** The state of a journal. */
export interface JournalState {
  readonly entries: readonly Readonly<Entry>[];
  readonly count: number;
}

/** JSON that is nested deeper is kept as text, because `JSON.stringify` may fail on it. */
const deepestJson = 100;

/** A body as its JSON value; as text where it is not JSON, or JSON that is nested more than 100 levels deep. */
export function jsonOrText(text: string): unknown {
  try {
    return isNestedDeeper(text, deepestJson) ? text : parseJson(text);
  } catch {
    return text;
  }
}

function queryOf(search: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** A hash that identifies an unknown key without keeping the key. */
export function markKey(key: string): string {
  return `unknown-${hashOf(key).toString(16).padStart(8, '0')}`;
}

/** A hash of a text: FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
