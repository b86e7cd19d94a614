import type * as z from 'zod/mini';
import {
  operations,
  type Environment,
  type Operation,
  type OperationName,
} from '../../src/contract/index.js';
import { among, checkOptions, optional } from '../utils/check.js';
import { checkName, checkService, describeValue } from '../utils/options.js';
import type { RecordedRequest } from './journal.js';
import { ConductError, type AllowedOffences, type ConductReport } from './conduct-report.js';

/** The result of a matcher, for Vitest and Jest. */
export interface MatcherResult {
  /** Whether the expectation holds. */
  readonly pass: boolean;
  /** The message when it does not hold or, after `.not`, when it does. */
  message(): string;
}

/**
 * The matchers as TypeScript types. In a file of your own, for Vitest 5 (before it `Matchers<T = any>`):
 *
 * ```ts
 * import 'vitest';
 * import type { PetstoreMatchers } from 'petstore-client/mocks';
 * declare module 'vitest' {
 *   interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends PetstoreMatchers<R> {}
 * }
 * ```
 *
 * and for Jest `declare module 'expect' { interface Matchers<R> extends PetstoreMatchers<R> {} }`; for the global `expect` of
 * `@types/jest`: `declare global { namespace jest { interface Matchers<R> extends PetstoreMatchers<R> {} } }`.
 */
export interface PetstoreMatchers<R = void> {
  /**
   * No request during a cool-down, and no ban: `expect(service).toHaveRespectedRateLimit()`. `allowed` sets the maximum of
   * these and of any other count of the report, as for {@link ConductReport.assertPolite}: `{ rateLimited: 0 }`. Throws, also
   * behind `.not`, where the journal does not reach back to the last `reset()`.
   */
  toHaveRespectedRateLimit(allowed?: AllowedOffences): R;
  /**
   * A request of this operation was received, whose input has these fields: `expect(service).toHaveReceived('createPet', { name: 'Rex' })`.
   * A field, or the whole input, may be an asymmetric matcher: `{ name: expect.stringMatching(/^R/) }`, `expect.objectContaining(…)`.
   */
  toHaveReceived(
    operation: OperationName,
    input?: Readonly<Record<string, unknown>>,
    options?: ReceivedOptions,
  ): R;
}

/** Further conditions of {@link PetstoreMatchers.toHaveReceived}. */
export interface ReceivedOptions {
  /** Sent to this environment. Default: to any. */
  readonly environment?: Environment;
}

const receivedOptions = optional({ environment: among('production', 'staging') });

interface Service {
  readonly requests: readonly RecordedRequest[];
  report(): ConductReport;
}

/**
 * Matchers for Vitest and Jest that check a service.
 *
 * @example
 * ```ts
 * import { expect, test } from 'vitest';
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService, matchers, type PetstoreMatchers } from 'petstore-client/mocks';
 *
 * declare module 'vitest' {
 *   interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends PetstoreMatchers<R> {}
 * }
 *
 * expect.extend(matchers);
 *
 * test('Rex is added', async () => {
 *   const service = createMockService();
 *   const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
 *   await client.createPet({ name: 'Rex', categoryId: 1 });
 *   expect(service).toHaveReceived('createPet', { name: 'Rex' });
 *   expect(service).toHaveRespectedRateLimit();
 * });
 * ```
 */
export const matchers = {
  /** No request during a cool-down, and no ban, or as many as `allowed` says. */
  toHaveRespectedRateLimit(service: Service, allowed: AllowedOffences = {}): MatcherResult {
    checkService('toHaveRespectedRateLimit', service, 'requests');
    let found = 'expected the client not to respect the rate limit, but it did';
    let pass = true;
    try {
      service.report().assertPolite({ ...rateLimitOnly, ...allowed });
    } catch (error) {
      if (!(error instanceof ConductError)) throw error;
      found = `expected the client to respect the rate limit. ${error.message}`;
      pass = false;
    }
    return { pass, message: () => found };
  },
  /** A request of this operation was received, whose input has these fields. */
  toHaveReceived(
    service: Service,
    operation: OperationName,
    input: Readonly<Record<string, unknown>> = {},
    options: ReceivedOptions = {},
  ): MatcherResult {
    checkService('toHaveReceived', service, 'requests');
    checkName('operation', operation, Object.keys(operations));
    checkOptions('toHaveReceived', receivedOptions, options);
    checkInput(operation, input);
    const { environment } = options;
    const received = service.requests.filter((request) => request.operation === operation);
    const pass = received.some(
      (request) =>
        (environment ?? request.environment) === request.environment &&
        matches(isAsymmetric(input) ? request.input : (request.input ?? {}), input),
    );
    const wanted = `${operation} with ${show(input)}${environment ? ` in ${environment}` : ''}`;
    const lines = received.map(
      (request) =>
        `- ${show(request.input)} (${request.status}${request.environment === 'staging' ? ', staging' : ''})`,
    );
    const got =
      lines.length === 0 ? 'none was received' : `only these were received:\n${lines.join('\n')}`;
    const message = pass
      ? `expected no ${wanted}, but one was received`
      : `expected ${wanted}, but ${got}`;
    return { pass, message: () => message };
  },
};

/** Of the counts that `assertPolite` limits by default, only those of the rate limit. */
const rateLimitOnly: AllowedOffences = { repeatedPosts: Infinity, mockDefects: Infinity };

/** @throws TypeError for a field that the operation does not have: it would match nothing, and hold behind `.not`. */
function checkInput(operation: OperationName, input: unknown): void {
  if (isAsymmetric(input)) return;
  if (!isObject(input))
    throw new TypeError(
      `toHaveReceived takes an object of fields of ${operation}, got ${describeValue(input)}`,
    );
  const known = inputFields(operation);
  for (const name of Object.keys(input)) checkName(`field of ${operation}`, name, known);
}

/** The names of what an operation takes: its path parameters, its query and its body. */
function inputFields(name: OperationName): string[] {
  const { params = {}, query, body } = operations[name] as Operation;
  const shapes = [query, body].map(
    (schema) => (schema as z.ZodMiniObject | undefined)?.shape ?? {},
  );
  return [params, ...shapes].flatMap((shape) => Object.keys(shape));
}

/** An asymmetric matcher of Vitest or Jest: `expect.any(…)`, `expect.objectContaining(…)` and others. */
interface Asymmetric {
  asymmetricMatch(given: unknown): boolean;
  toAsymmetricMatcher?(): string;
  toString(): string;
  readonly sample?: unknown;
}

function isAsymmetric(value: unknown): value is Asymmetric {
  return typeof (value as Partial<Asymmetric> | null | undefined)?.asymmetricMatch === 'function';
}

/** Whether a value equals the wanted one, or has all its fields; 5 equals 5n. */
function matches(given: unknown, wanted: unknown): boolean {
  if (isAsymmetric(wanted)) return wanted.asymmetricMatch(given);
  if (!isObject(wanted))
    return given === wanted || (isNumber(given) && isNumber(wanted) && given == wanted);
  return (
    isObject(given) && Object.entries(wanted).every(([name, part]) => matches(given[name], part))
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

function show(value: unknown): string {
  if (value === undefined) return 'no input';
  if (isAsymmetric(value)) return nameOf(value);
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'bigint' ? `${field}n` : isAsymmetric(field) ? nameOf(field) : field,
  );
}

/** The text of a matcher, such as `Any<String>`; otherwise its name and its sample. */
function nameOf(matcher: Asymmetric): string {
  return (
    matcher.toAsymmetricMatcher?.() ??
    `${matcher.toString()}${matcher.sample === undefined ? '' : show(matcher.sample)}`
  );
}
