import * as z from 'zod/mini';
import { stringifyJson } from '../../src/contract/json.js';
import { check } from '../utils/check.js';
import { readJson } from '../utils/json.js';
import { showValue, isRecord } from '../utils/options.js';
import { chooseAssumptions, type GivenAssumptions } from './assumptions.js';

/** The value of the field `format` in a file of measured assumptions. */
export const assumptionsFormat = 'petstore-assumptions/2';

/** Assumptions that were measured on a service, as `petstore-mock verify --write` writes them to a file. */
export interface AssumptionsFile {
  /** The name and version of the format. */
  readonly format: typeof assumptionsFormat;
  /** The address that was measured, without path, query or credentials. */
  readonly origin: string;
  /** When the service was measured, as an ISO date. */
  readonly measuredAt: string;
  /** The measured values. Assumptions that are not in it keep their defaults. */
  readonly assumptions: GivenAssumptions;
  /** Assumptions in the file that were not measured: several values fit the responses, but the default does not. */
  readonly open: readonly string[];
}

/**
 * Reads the assumptions of a file, for `createMockService({ assumptions })`: a file that `petstore-mock verify` has written,
 * or a JSON object of assumptions written by hand. A regular expression is `{ "pattern": "[a-z]+", "flags": "i" }`.
 *
 * @param text the text of the file. An int64 in it is read exactly.
 * @throws TypeError that says what is wrong: not JSON, another format, an unknown assumption, an invalid value.
 * @example
 * ```ts
 * import { createMockService, readAssumptions } from 'petstore-client/mocks';
 *
 * const assumptions = readAssumptions('{ "minuteWindow": "sliding", "ids": "random" }');
 * const service = createMockService({ assumptions });
 * console.log(service.assumptions.minuteWindow); // sliding
 * ```
 */
export function readAssumptions(text: string): GivenAssumptions {
  return readAssumptionsFile(text).assumptions;
}

/**
 * Reads a whole file of assumptions, with the address that was measured. For a file written by hand the other parts are empty.
 *
 * @throws TypeError as {@link readAssumptions}.
 */
export function readAssumptionsFile(text: string): AssumptionsFile {
  const notJson = (why: string, cause: unknown) =>
    new TypeError(`The file of assumptions is not JSON: ${why}`, { cause });
  if (typeof text !== 'string')
    throw new TypeError(`readAssumptions takes the text of a file, got ${showValue(text)}`);
  const read = readJson(text, notJson);
  if (!isRecord(read))
    throw new TypeError('The file of assumptions must hold a JSON object: { "minuteWindow": … }');
  const file = 'format' in read ? read : { format: assumptionsFormat, assumptions: read };
  const { assumptions, ...more } = check(fileSchema, file, 'The file of assumptions');
  // The service fills in the defaults itself. A regular expression is written as an object in JSON.
  const { name } = chooseAssumptions(assumptions);
  const given = 'name' in assumptions ? { ...assumptions, name } : assumptions;
  return { ...more, format: assumptionsFormat, assumptions: given };
}

const word = z._default(z.string(), '');

/** A file of the first version is read too: an assumption that has another name since then is an error that says which. */
const fileSchema = z.object({
  format: z.literal(['petstore-assumptions/1', assumptionsFormat]),
  origin: word,
  measuredAt: word,
  assumptions: z.record(z.string(), z.unknown()),
  open: z._default(z.array(z.string()), []),
});

/**
 * Writes the text of a file, one assumption per line, so that a change is one line in a diff. @throws TypeError for invalid
 * assumptions.
 */
export function writeAssumptionsFile(file: AssumptionsFile): string {
  chooseAssumptions(check(fileSchema, file, 'The file of assumptions').assumptions);
  const lines = Object.entries(file).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${isRecord(value) ? block(value) : one(value)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** An assumption as JSON has it: a regular expression as its pattern with flags, a function as its text. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'function') return String(value);
  return value instanceof RegExp ? { pattern: value.source, flags: value.flags } : value;
}

function block(value: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(value).toSorted();
  if (names.length === 0) return '{}';
  return `{\n${names.map((name) => `    ${JSON.stringify(name)}: ${one(value[name])}`).join(',\n')}\n  }`;
}

function one(value: unknown): string {
  return stringifyJson(toPlain(value));
}
