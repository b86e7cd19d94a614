import * as z from 'zod/mini';
import type { Environment } from '../../src/contract/index.js';
import { operations, type Operation, type OperationName } from '../../src/contract/operations.js';
import { checkOptions, optional } from '../utils/check.js';
import {
  checkName,
  checkService,
  showValue,
  isRecord,
  withoutUndefined,
} from '../utils/options.js';
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
   * these and of any other count of the report, as for {@link ConductReport.assertPolite}: `{ rateLimited: 0 }`. Throws,
   * even after `.not`, if the journal does not reach back to the last `reset()`.
   */
  toHaveRespectedRateLimit(allowed?: AllowedOffences): R;
  /**
   * The service received a request of this operation whose input has these fields:
   * `expect(service).toHaveReceived('createPet', { name: 'Rex' })`. A field, or the whole input, may be an asymmetric
   * matcher: `{ name: expect.stringMatching(/^R/) }`, `expect.objectContaining(…)`.
   */
  toHaveReceived<Name extends OperationName>(
    operation: Name,
    input?: { readonly [Field in FieldOf<(typeof operations)[Name]>]?: unknown },
    options?: ReceivedOptions,
  ): R;
}

/** The names of what an operation takes: its path parameters, its query and its body. */
type FieldOf<Row> =
  | (Row extends { params: infer Params } ? keyof Params : never)
  | (Row extends { query: infer Query } ? keyof z.input<Query> : never)
  | (Row extends { body: infer Body } ? keyof z.input<Body> : never);

/** Further conditions of {@link PetstoreMatchers.toHaveReceived}. */
export interface ReceivedOptions {
  /** The environment of the request. Default: any. */
  readonly environment?: Environment | undefined;
}

const receivedOptions = optional({ environment: z.literal(['production', 'staging']) });

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
      const limits = { ...rateLimitOnly, ...withoutUndefined(allowed) };
      service.report().assertPolite(isRecord(allowed) ? limits : allowed);
    } catch (error) {
      if (!(error instanceof ConductError)) throw error;
      found = `expected the client to respect the rate limit. ${error.message}`;
      pass = false;
    }
    return { pass, message: () => found };
  },
  /** A request of this operation was received, whose input has these fields. */
  toHaveReceived(
    this: MatcherContext,
    service: Service,
    operation: OperationName,
    input: Readonly<Record<string, unknown>> = {},
    options: ReceivedOptions = {},
  ): MatcherResult {
    checkService('toHaveReceived', service, 'requests');
    checkName('operation', operation, Object.keys(operations));
    checkOptions('toHaveReceived', receivedOptions, options);
    checkInput(operation, input);
    const show = (value: unknown) => this.utils.stringify(value, undefined, inOneLine);
    const { environment } = options;
    const matches = (given: Readonly<Record<string, unknown>> | undefined) =>
      isAsymmetric(input)
        ? this.equals(given, input)
        : Object.keys(input).every((name) =>
            this.equals(given?.[name], input[name], [sameInteger]),
          );
    const received = service.requests.filter((request) => request.operation === operation);
    const pass = received.some(
      (request) =>
        (environment ?? request.environment) === request.environment && matches(request.input),
    );
    const wanted = `${operation} with ${show(input)}${environment ? ` in ${environment}` : ''}`;
    const newest = received.slice(-20);
    const lines = newest.map(
      (request) =>
        `- ${request.input ? show(request.input) : 'no input'} (${request.status}${request.environment === 'staging' ? ', staging' : ''})`,
    );
    const omitted = newest.length < received.length ? `, the last 20 of ${received.length}` : '';
    const got =
      lines.length === 0
        ? 'none was received'
        : `only these were received${omitted}:\n${lines.join('\n')}`;
    const message = pass
      ? `expected no ${wanted}, but one was received`
      : `expected ${wanted}, but ${got}`;
    return { pass, message: () => message };
  },
};

/** What Vitest and Jest give to a matcher. */
interface MatcherContext {
  equals(given: unknown, wanted: unknown, testers?: readonly unknown[]): boolean;
  readonly utils: { stringify(value: unknown, maxDepth?: number, how?: never): string };
}

/** For Vitest: Jest always writes so. */
const inOneLine = { min: true } as never;

/** 5 equals 5n; undefined where the values are not both numbers. */
function sameInteger(given: unknown, wanted: unknown): boolean | undefined {
  const areNumbers = [given, wanted].every((one) => /^(?:number|bigint)$/.test(typeof one));
  return areNumbers ? given == wanted : undefined;
}

/** Of the counts that `assertPolite` limits by default, only those of the rate limit. */
const rateLimitOnly: AllowedOffences = { repeatedPosts: Infinity, mockDefects: Infinity };

/** @throws TypeError for a field that the operation does not have: it would match nothing, and hold behind `.not`. */
function checkInput(operation: OperationName, input: unknown): void {
  if (isAsymmetric(input)) return;
  if (!isRecord(input))
    throw new TypeError(
      `toHaveReceived takes an object of fields of ${operation}, got ${showValue(input)}`,
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
const isAsymmetric = (value: unknown) =>
  typeof (value as { asymmetricMatch?: unknown } | null | undefined)?.asymmetricMatch ===
  'function';
