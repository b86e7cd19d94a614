import * as z from 'zod/mini';
import { operations, type OperationName } from '../../src/contract/index.js';
import { checkOptions, described, integer, optional } from '../utils/check.js';
import { checkService } from '../utils/options.js';
import { isNestedDeeper, jsonOf } from '../utils/json.js';

const text = z.string();
const operation = z.literal(Object.keys(operations) as OperationName[]);
const environment = z.literal(['production', 'staging']);
const fields = z.readonly(z.record(text, z.unknown()));

/** What the journal keeps of a request. The type, and the description of the control API, are made from these rows. */
export const recordedRows = {
  /** Counts from 1 over the life of the service (from 1 again after `reset()`). */
  number: integer(1),
  /** The environment whose address was called. */
  environment,
  /** When it arrived, ms since the epoch on `service.clock`. */
  at: z.number(),
  /** When it ended, with or without a response; undefined while it is in flight. */
  answeredAt: z.optional(z.number()),
  /** The operation; undefined for an unknown path, a wrong method, a removed operation, or the route of an override. */
  operation: z.optional(operation),
  /** The HTTP method. */
  method: text,
  /** The path, with the `/v1` prefix, without the query. */
  path: text,
  /** The query; the last value of a repeated parameter. */
  query: z.readonly(z.record(text, text)),
  /**
   * The body: JSON as its value; anything else, and JSON nested more than 100 levels deep, as text. Undefined if there
   * was none, or if it was not read (a request without a valid key or beyond its quota).
   */
  body: z.optional(z.unknown()),
  /**
   * The input of the operation: `{ limit, status }`, the body of `createPet`, or `{ petId }`. Undefined for
   * a request that was rejected earlier (for its key or quota, or as invalid).
   */
  input: z.optional(fields),
  /**
   * The key, if the service knows it; `unknown-` and eight hexadecimal digits for any other key; undefined if there was
   * none.
   */
  key: z.optional(text),
  /** The status of the response; undefined for a broken connection, and while there is no response. */
  status: z.optional(integer(0)),
  /** Names of the faults that hit it, as a {@link Fault} spells them. */
  faults: z.readonly(z.array(text)),
  /** Whether it arrived during a cool-down (after a 429, before its wait was over) or a ban. */
  inCoolDown: z.boolean(),
  /** `X-RateLimit-Remaining` of its response, without the error of the assumption `nodes`. A fault may leave the header out. */
  remaining: z.optional(z.number()),
};

/**
 * One request as the service received it. No header is kept; an unknown key is replaced by a hash that identifies it.
 *
 * @interface
 */
export type RecordedRequest = {
  readonly [Field in keyof typeof recordedRows]: z.output<(typeof recordedRows)[Field]>;
};

/** The record of a request in flight. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

/** What {@link findRequests} matches. The type, the check, and the query of the control API are made from these rows. */
export const filterRows = {
  /** Of this operation. */
  operation,
  /** Sent to this environment. */
  environment,
  /** With this key, as {@link RecordedRequest.key} spells it. */
  key: described('As the journal shows it', text),
  /** With this HTTP method. */
  method: text,
  /** Answered with this status. */
  status: integer(100, 599),
  /** Name of a fault that hit it. */
  fault: described('Name of a fault that hit it', text),
  /** Whether it arrived during a cool-down or a ban. */
  inCoolDown: z.boolean(),
  /** Arrived at this time or later, ms since the epoch. */
  since: described('Arrived at this time or later, ms since the epoch', z.number()),
};

/**
 * The fields to match; an omitted field matches anything.
 *
 * @interface
 */
export type RequestFilter = {
  readonly [Field in keyof typeof filterRows]?: z.output<(typeof filterRows)[Field]> | undefined;
};

/**
 * The requests of a service that match, oldest first.
 *
 * @throws TypeError for an unknown field of the filter, and for a value that no request can have.
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
  checkOptions('findRequests', filterSchema, filter);
  const { fault, since = -Infinity, ...same } = filter;
  const fields = Object.entries(same) as [keyof RecordedRequest, unknown][];
  return from.requests.filter(
    (request) =>
      request.at >= since &&
      (fault === undefined || request.faults.includes(fault)) &&
      fields.every(([name, value]) => value === undefined || request[name] === value),
  );
}

const filterSchema = optional(filterRows);

/** One line of the journal: the public record, and what only the report reads. */
export interface JournalEntry {
  readonly record: OpenRecord;
  /** The key, if the service knows it. */
  readonly key: string | undefined;
  /** The query with its `?`, or an empty text. */
  readonly search: string;
  /** Whether the request caused a ban. */
  readonly startsBan: boolean;
  /** When it was sent, and when it ended: counted in events, because many of them share one ms of a virtual clock. */
  readonly sent: number;
  ended?: number;
  /** The text of the body, where it was read. */
  body?: string;
  /** The characters of path, query and body. */
  size: number;
  /** Whether the client knows if the request was processed. */
  isOutcomeKnown: boolean;
  /** Why the mock itself failed on it. */
  defect?: string;
}

/** How many characters of paths, queries and bodies are kept. While nobody reads the journal, it may grow to twice as many. */
const mostCharacters = 16 * 1_048_576;

/** The newest requests since the last reset, within a number of requests and of characters. */
export class Journal {
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #characters = 0;
  #events = 0;
  /** The last event before the newest reset. */
  #start = 0;
  /** How many requests have arrived since the last reset. */
  count = 0;
  /** The newest request on which the mock itself failed, over the whole life of the service. */
  lastDefect: JournalEntry | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The entries that are kept, oldest first. */
  get entries(): readonly JournalEntry[] {
    this.#trim();
    return this.#entries;
  }

  get requests(): readonly RecordedRequest[] {
    return this.entries.map(completed);
  }

  /** Counts an event, and gives its number: that a request is sent, which {@link add} takes when it arrives, or that a 429 has come back. */
  event(): number {
    return ++this.#events;
  }

  /** Adds a request that has arrived. One that was sent before the newest reset belongs to what was before, and is not kept. */
  add(
    fields: Omit<
      OpenRecord,
      'number' | 'query' | 'answeredAt' | 'body' | 'input' | 'status' | 'faults'
    >,
    { search, key, startsBan, sent }: Omit<JournalEntry, 'record' | 'size' | 'isOutcomeKnown'>,
  ): JournalEntry {
    const isKept = this.isKept(sent);
    const size = fields.path.length + search.length;
    const number = isKept ? ++this.count : 0;
    const open = { answeredAt: undefined, body: undefined, input: undefined, status: undefined };
    const record: OpenRecord = { number, ...fields, ...open, query: noQuery, faults: noFaults };
    const entry = { search, key, startsBan, sent, record, size, isOutcomeKnown: false };
    if (isKept) this.#entries.push(entry);
    this.#grow(size);
    return entry;
  }

  /** Whether a request was sent after the newest reset. */
  isKept(sent: number): boolean {
    return sent > this.#start;
  }

  /** Adds the body, when it was read. */
  addBody(entry: JournalEntry, text: string): void {
    entry.body = text;
    entry.size += text.length;
    this.#grow(text.length);
  }

  /** Adds why the mock itself failed on a request. True for the first request with this reason. */
  addDefect(entry: JournalEntry, why: string): boolean {
    const isNew = !this.entries.some(({ defect }) => defect === why);
    entry.defect = why;
    this.lastDefect = entry;
    return isNew;
  }

  /** Counts the end of a request: answered, or aborted. */
  end(entry: JournalEntry): void {
    entry.ended = this.event();
  }

  /** Removes all. Requests in flight belong to what was before. */
  clear(): void {
    this.#entries = [];
    this.#characters = 0;
    this.count = 0;
    this.#start = this.#events;
  }

  /** Drops entries rarely, so that adding one stays cheap. */
  #grow(characters: number): void {
    this.#characters += characters;
    if (this.#entries.length > this.#limit + 1_000 || this.#characters > 2 * mostCharacters)
      this.#trim();
  }

  /** Drops the oldest entries beyond the limits; the newest one always stays. */
  #trim(): void {
    const { length } = this.#entries;
    this.#characters = 0;
    const dropped = this.#entries.findLastIndex(({ size }, at) => {
      if (length - at > this.#limit) return true;
      this.#characters += size;
      return this.#characters > mostCharacters && at < length - 1;
    });
    if (dropped >= 0) this.#entries = this.#entries.slice(dropped + 1);
  }
}

const noQuery = Object.freeze({});
const noFaults: readonly string[] = Object.freeze([]);

/**
 * The record of an entry as others see it. Most entries are never read: query and body are parsed on each access, and here is
 * where their fields become accessors, which would make every request slower.
 */
function completed(entry: JournalEntry): RecordedRequest {
  const { record, search, ended } = entry;
  if (!Object.isFrozen(record)) {
    const query = () => Object.fromEntries(new URLSearchParams(search));
    const body = () => (entry.body ? jsonOrText(entry.body) : undefined);
    Object.defineProperties(record, {
      query: { get: query, enumerable: true, configurable: true },
      body: { get: body, enumerable: true, configurable: true },
    });
  }
  return ended === undefined ? record : Object.freeze(record);
}

/** JSON that is nested deeper is kept as text, because `JSON.stringify` may fail on it. */
const deepestJson = 100;

/** A body as its JSON value; as text where it is not JSON, or JSON that is nested more than 100 levels deep. */
export function jsonOrText(text: string): unknown {
  const value = isNestedDeeper(text, deepestJson) ? undefined : jsonOf(text);
  return value === undefined ? text : value;
}

/** A hash that identifies an unknown key without keeping the key: FNV-1a, 32 bits. */
export function markKey(key: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `unknown-${(hash >>> 0).toString(16).padStart(8, '0')}`;
}
