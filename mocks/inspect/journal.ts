import { parseJson } from '../../src/contract/json.js';
import type { Environment, OperationName } from '../../src/contract/index.js';

/** One request as the service saw it. No header is kept; of a key that is not known, only a mark by which it can be recognised. */
export interface RecordedRequest {
  /** Counts from 1 over the life of the service (from 1 again after `reset()`). */
  readonly number: number;
  /** The environment whose address was called. */
  readonly environment: Environment;
  /** When it arrived, ms since the epoch on the service's clock. */
  readonly at: number;
  /** When it was answered; undefined while it is not. */
  readonly answeredAt: number | undefined;
  /** The operation; undefined for an unknown path, a wrong method, or an operation that was removed. */
  readonly operation: OperationName | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path, with the `/v1` prefix, without the query. */
  readonly path: string;
  /** The query as it was sent; of a repeated parameter the last. */
  readonly query: Readonly<Record<string, string>>;
  /**
   * The body that was sent: JSON as its value, anything else, and JSON nested more than 100 deep, as text. Undefined where
   * there was none, or none was read (a request without a valid key or beyond its quota).
   */
  readonly body: unknown;
  /**
   * What the operation was given: `{ limit, status }`, the body of `createPet`, or `{ petId }`. Undefined for
   * a request that was refused before (for its key or quota, or as invalid).
   */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The key, if the service knows it; `unknown-` and eight digits for another one; undefined where there was none. */
  readonly key: string | undefined;
  /** The status of the answer; undefined for a broken connection, and while there is no answer. */
  readonly status: number | undefined;
  /** Names of the faults that took effect on it, as a {@link Fault} spells them. */
  readonly faults: readonly string[];
  /** Whether it came during a cool-down (after a 429, before the time to wait was over) or a ban. */
  readonly inCoolDown: boolean;
  /** `X-RateLimit-Remaining` of its answer. */
  readonly remaining: number | undefined;
}

/** A record while the request is under way. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

/** What to look for: fields that are left out match anything. */
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
  /** Whether it came during a cool-down or a ban. */
  readonly inCoolDown?: boolean;
  /** Arrived at this time or later, ms since the epoch. */
  readonly since?: number;
}

/**
 * The requests of a service that match, oldest first.
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
  const { fault, since = -Infinity, ...same } = filter;
  const fields = Object.entries(same) as [keyof RecordedRequest, unknown][];
  return from.requests.filter(
    (request) =>
      request.at >= since &&
      (fault === undefined || request.faults.includes(fault)) &&
      fields.every(([name, value]) => request[name] === value),
  );
}

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

  /** Adds what was read of a request later: `text`, as the field of this name shows it. */
  addText(record: OpenRecord, field: 'query' | 'body', text: string): void {
    // Read only when somebody looks at it: most of the journal never is.
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
        // What is complete never changes, so that it may be shared. The rest is no longer in progress when it is restored.
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

/** JSON that is nested deeper is shown as text: what shows the journal may not be able to write it. */
const deepestJson = 100;

/** A body as its JSON value; as text where it is no JSON, or JSON that is nested more than 100 deep. */
export function jsonOrText(text: string): unknown {
  try {
    return nestingOf(text) > deepestJson ? text : parseJson(text);
  } catch {
    return text;
  }
}

/** How deep the brackets of a JSON text are nested. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (found === '[' || found === '{') deepest = Math.max(deepest, ++depth);
    else if (found === ']' || found === '}') depth--;
  }
  return deepest;
}

function queryOf(search: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** A mark by which an unknown key can be recognised, without keeping the key: FNV-1a, 32 bits. */
export function markKey(key: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `unknown-${(hash >>> 0).toString(16).padStart(8, '0')}`;
}
