import type * as z from 'zod/mini';
import {
  ErrorSchema,
  type Operation,
  type OperationName,
  operations,
} from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from './problem.js';
import { stringifyJson } from '../../src/contract/json.js';

/** Header that says, on every 4xx and 5xx, which rule of the mock answered and how to mend the request. */
export const explainHeader = 'X-Mock-Explain';

/** An answer before it becomes a `Response`. */
export interface ResponseParts {
  readonly status: number;
  /** The value behind `text`, where it is JSON. */
  readonly value?: unknown;
  readonly text: string | undefined;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Until when to wait, ms since the epoch. */
  readonly until?: number | undefined;
}

const json = 'application/json';

/** Pets that were found to be what the contract says, and are frozen: they need not be looked at again. */
const sound = /* @__PURE__ */ new WeakSet();

/** The answer to a request that did what it asked for; when it breaks the contract, an answer that says so instead. */
export function success(
  operation: OperationName,
  value: unknown,
  assumptions: Assumptions,
): ResponseParts {
  const { success: status, responses } = operations[operation] as Operation;
  const schema = responses[status] as z.ZodMiniType | undefined;
  // The success of this operation has no body, as with 204.
  if (schema === undefined) return { status, text: undefined, type: json, headers: {} };
  const pets: readonly unknown[] =
    operation === 'listPets' && Array.isArray(value) ? value : [value];
  if (!pets.every((pet) => sound.has(pet as object))) {
    const { success: isSound, error } = schema.safeParse(value);
    if (!isSound) {
      const issues = error.issues
        .map(({ path, message }) => [...path, message].join(' '))
        .join('; ');
      return problem(
        new Problem(
          'mockDefect',
          500,
          'The mock made an answer that breaks the contract.',
          `the answer of ${operation}: ${issues}`,
        ),
        assumptions,
      );
    }
    for (const pet of pets) if (Object.isFrozen(pet)) sound.add(pet as object);
  }
  return { status, value, text: stringifyJson(value), type: json, headers: {} };
}

/** The answer to a request that did not. Service interface: "Errors". */
export function problem(
  { rule, status, message, hint, allow, until }: Problem,
  assumptions: Assumptions,
): ResponseParts {
  const code = assumptions.codes[rule];
  const headers: Record<string, string> = { [explainHeader]: visible(`${code}: ${hint}`) };
  if (allow !== undefined) headers['Allow'] = allow;
  const bodiless =
    rule === 'banned'
      ? !assumptions.bannedAnswer.body
      : rule === 'rateLimited' && assumptions.rateLimitBody === 'none';
  if (bodiless) return { status, text: undefined, type: json, headers, until };
  const value = ErrorSchema.parse({ code, message, status });
  return { status, value, text: stringifyJson(value), type: json, headers, until };
}

/** The answer that a fault gives: `body` as in a fault. */
export function injected(status: number, body: unknown, assumptions: Assumptions): ResponseParts {
  const asked = new Problem(
    'fault',
    status,
    'This failure was injected.',
    `faults.add asked for status ${status}`,
  );
  if (body === undefined && status >= 400) return problem(asked, assumptions);
  const headers =
    status >= 400 ? { [explainHeader]: visible(`${assumptions.codes.fault}: ${asked.hint}`) } : {};
  if (body === undefined || body === false) return { status, text: undefined, type: json, headers };
  return typeof body === 'string'
    ? { status, text: body, type: 'text/plain;charset=utf-8', headers }
    : { status, value: body, text: stringifyJson(body), type: json, headers };
}

/** A text as a header may hold it: visible ASCII, not too long. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}

const texts = new WeakMap<Response, string>();

/** Keeps the text that a `Response` was made of, so that an adapter can send it at once instead of reading it as a stream. */
export function keepBody(response: Response, text: string): Response {
  texts.set(response, text);
  return response;
}

/** The whole body of a `Response`, where it is known without reading it. */
export function wholeBody(response: Response): string | undefined {
  return response.bodyUsed ? undefined : texts.get(response);
}
