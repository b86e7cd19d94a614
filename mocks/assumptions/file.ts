import { parseJson, stringifyJson } from '../../src/contract/json.js';
import { isRecord } from '../utils/options.js';
import type { GivenAssumptions } from './assumptions.js';
import { chooseAssumptions } from './defaults.js';

/** The value of the field `format` in a file of measured assumptions. */
export const assumptionsFormat = 'petstore-assumptions/1';

/** Assumptions that were measured on a service, as `petstore-mock verify --write` writes them to a file. */
export interface AssumptionsFile {
  /** The name and version of the format. */
  readonly format: typeof assumptionsFormat;
  /** The version of the service interface that was measured. */
  readonly interface: string;
  /** The address that was measured, without path, query or credentials. */
  readonly origin: string;
  /** When, as an ISO date. */
  readonly measuredAt: string;
  /** The measured values. Assumptions that are not in it keep their defaults. */
  readonly assumptions: GivenAssumptions;
  /** How sure each value is, by the name of the assumption: `'certain'`, `'likely'`, `'bounded'`, `'partly'`, or `'possible'` for one of several values that the responses allow. */
  readonly sure: Readonly<Record<string, string>>;
  /** The evidence for each value, by the name of the assumption. */
  readonly evidence: Readonly<Record<string, string>>;
  /** Observed behaviour that no value of the mock can express, by the name of the assumption. */
  readonly beyond: Readonly<Record<string, string>>;
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
 * const assumptions = readAssumptions('{ "minuteWindow": "sliding", "invalidLimit": 422 }');
 * const service = createMockService({ assumptions });
 * console.log(service.assumptions.minuteWindow); // sliding
 * ```
 */
export function readAssumptions(text: string): GivenAssumptions {
  return readAssumptionsFile(text).assumptions;
}

/**
 * Reads a whole file of assumptions: the values with their evidence, and observed behaviour that cannot be expressed by
 * a value of the mock (`beyond`). For a file written by hand the other parts are empty.
 *
 * @throws TypeError as {@link readAssumptions}.
 */
export function readAssumptionsFile(text: string): AssumptionsFile {
  const read = parse(text);
  if (!isRecord(read))
    throw new TypeError('The file of assumptions must hold a JSON object: { "minuteWindow": … }');
  const written = 'format' in read;
  if (written && read['format'] !== assumptionsFormat)
    throw new TypeError(
      `The file of assumptions has the format ${JSON.stringify(read['format'])}; this version reads "${assumptionsFormat}". Measure again with petstore-mock verify, or keep only the object of assumptions`,
    );
  const values = written ? read['assumptions'] : read;
  if (!isRecord(values))
    throw new TypeError('"assumptions" in the file of assumptions must be an object');
  const assumptions = revive(values);
  // Only to check them: the service fills in the defaults itself.
  chooseAssumptions(assumptions);
  const file = written ? read : {};
  const word = (name: string) => (typeof file[name] === 'string' ? file[name] : '');
  return {
    format: assumptionsFormat,
    interface: word('interface'),
    origin: word('origin'),
    measuredAt: word('measuredAt'),
    assumptions,
    sure: textsOf(file['sure']),
    evidence: textsOf(file['evidence']),
    beyond: textsOf(file['beyond']),
  };
}

/** The text of a file, one assumption a line, so that a change is one line in a diff. @throws TypeError for invalid assumptions. */
export function writeAssumptionsFile(file: AssumptionsFile): string {
  chooseAssumptions(file.assumptions);
  const lines = Object.entries(file).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${isRecord(value) ? block(value) : one(value)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

function parse(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new TypeError(`The file of assumptions is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** An assumption as JSON has it, which has no regular expressions: they are written as a pattern with its flags. */
export function toPlain(value: unknown): unknown {
  return value instanceof RegExp ? { pattern: value.source, flags: value.flags } : value;
}

/** The assumptions of a file with the regular expression that {@link toPlain} has written. */
function revive(values: Readonly<Record<string, unknown>>): GivenAssumptions {
  const { nameCharacters: allowed } = values;
  if (!isRecord(allowed)) return values as GivenAssumptions;
  const { pattern, flags = '' } = allowed;
  if (typeof pattern !== 'string' || typeof flags !== 'string')
    throw new TypeError(
      'nameCharacters must be "any" or { "pattern": text, "flags": text } in a file of assumptions',
    );
  try {
    return { ...values, nameCharacters: new RegExp(pattern, flags) } as GivenAssumptions;
  } catch (error) {
    throw new TypeError(`nameCharacters: ${(error as Error).message}`, { cause: error });
  }
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function block(value: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(value).toSorted();
  if (names.length === 0) return '{}';
  return `{\n${names.map((name) => `    ${JSON.stringify(name)}: ${one(value[name])}`).join(',\n')}\n  }`;
}

function one(value: unknown): string {
  return stringifyJson(toPlain(value));
}
