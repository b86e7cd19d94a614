import type { OperationName } from '../../src/contract/index.js';

/** One request as the service saw it. No header is kept; of a key that is not known only a mark by which to tell it again. */
export interface RecordedRequest {
  /** Counts from 1 over the life of the service (`reset()` begins anew). */
  readonly number: number;
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
  /** The body that was sent: JSON as its value, anything else as text. Undefined where there was none, or none was read (a refused request). */
  readonly body: unknown;
  /**
   * What the operation was given: `{ limit, status }`, the body of `createPet`, or `{ petId }`. Of a request that was not
   * read so far (refused for its key or quota, or invalid) undefined.
   */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The key, if the service knows it; `unknown-` and eight digits for another one; undefined where there was none. */
  readonly key: string | undefined;
  /** The status of the answer; undefined for a broken connection, and while there is no answer. */
  readonly status: number | undefined;
  /** Names of the faults that hit it, as a {@link Fault} spells them. */
  readonly faults: readonly string[];
  /** Whether it came while an earlier 429, or a ban, told the client to wait. */
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
  /** With this key, as {@link RecordedRequest.key} spells it. */
  readonly key?: string;
  /** With this HTTP method. */
  readonly method?: string;
  /** Answered with this status. */
  readonly status?: number;
  /** Name of a fault that hit it. */
  readonly fault?: string;
  /** Whether it came while the client had been told to wait. */
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

/** The newest requests, so many and no more. */
export class Journal {
  readonly #limit: number;
  #records: OpenRecord[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#limit === 0 ? [] : this.#records.slice(-this.#limit);
  }

  add(record: Omit<OpenRecord, 'number'>): OpenRecord {
    const numbered = record as OpenRecord;
    numbered.number = ++this.#count;
    if (this.#limit === 0) return numbered;
    this.#records.push(numbered);
    // Cut rarely, and much at once, so that adding one stays cheap.
    if (this.#records.length >= 2 * this.#limit + 1_024)
      this.#records = this.#records.slice(-this.#limit);
    return numbered;
  }

  save(): { readonly records: readonly RecordedRequest[]; readonly count: number } {
    return { records: this.requests.map((record) => ({ ...record })), count: this.#count };
  }

  load(saved: { readonly records: readonly RecordedRequest[]; readonly count: number }): void {
    // Those that were under way then are so no longer.
    this.#records = saved.records.map((record) => Object.freeze({ ...record }));
    this.#count = saved.count;
  }
}

/** A mark by which to tell an unknown key again, without keeping it: FNV-1a, 32 bits. */
export function markKey(key: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `unknown-${(hash >>> 0).toString(16).padStart(8, '0')}`;
}
