import * as z from 'zod/mini';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { showValue, isRecord, meant } from './options.js';

/** A schema with a description for the OpenAPI description of the control API. */
export const described = <Schema extends z.ZodMiniType>(
  description: string,
  schema: Schema,
): Schema => {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, { description });
  return copy;
};

/** The longest time that the clock of a service takes, ms: 100 years of 365.25 days. */
export const longestDuration = 36_525 * 86_400_000;

/** An integer from `least` to `most`; `what` it is, in words. */
export const integer = (
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
  what: string = most === Number.MAX_SAFE_INTEGER
    ? `an integer of ${least} or more`
    : `an integer from ${least} to ${most}`,
): z.ZodMiniNumberFormat => {
  const error = `must be ${what}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
};

/** A moment that a `Date` can hold, ms since the epoch. */
export const moment = z.number().check(z.minimum(-8.64e15), z.maximum(8.64e15));

/** ms, at most 100 years. */
export const span = (): z.ZodMiniNumberFormat =>
  integer(0, longestDuration, `an integer from 0 to ${longestDuration} ms (100 years)`);

/** ms that a clock is ahead, or behind where it is negative; at most 100 years. */
export const offset = (): z.ZodMiniType<number, number> =>
  z.number().check(z.minimum(-longestDuration), z.maximum(longestDuration));

const leastFirst = { error: 'must be [least, most]: least first' };

/** `[least, most]`. */
export const range = <Given>(
  item: z.ZodMiniType<number, Given>,
): z.ZodMiniType<Range, readonly [least: Given, most: Given]> =>
  z.tuple([item, item], leastFirst).check(z.refine(([least, most]) => least <= most, leastFirst));
type Range = readonly [least: number, most: number];

/** A value for which `is` holds, and that others may check further; `what` it is, in words. */
export const custom = <T>(
  what: string,
  is: (value: unknown) => boolean,
  jsonSchema: () => Record<string, unknown> = () => ({}),
): z.ZodMiniType<T, T> =>
  fastCheck<T>({
    read: (value) => (is(value) ? (value as T) : undefined),
    explain: (value) => `must be ${what}, got ${showValue(value)}`,
    jsonSchema,
  });

/** How many: an integer of `least` or more, or Infinity. */
export const countFrom = (least: number): z.ZodMiniType<number, number> =>
  custom<number>(
    `an integer of ${least} or more, or Infinity`,
    (value) => value === Infinity || (Number.isInteger(value) && (value as number) >= least),
  );

/** Visible ASCII characters and spaces: a text that every header can carry. */
export const ascii = z
  .string()
  .check(z.regex(/^[\x20-\x7e]*$/, { error: 'must be visible ASCII characters' }));

/** A function, which JSON cannot hold. */
export const callable = <F extends (...given: never[]) => unknown>(): z.ZodMiniType<F, F> =>
  custom<F>(
    'a function',
    (value) => typeof value === 'function',
    () => ({ not: {} }),
  );

type Issue = z.core.$ZodIssue;

/** What a value must be, for the kinds of issue that Zod words for programmers. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value));
      return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
    }
    case 'too_small':
      return `must be ${issue.minimum} or more`;
    case 'too_big':
      return `must be ${issue.maximum}${issue.maximum === longestDuration ? ' ms (100 years)' : ''} or less`;
    case 'unrecognized_keys': {
      const known = Object.keys((issue.inst as unknown as z.ZodMiniObject).def.shape);
      return issue.keys
        .map((key) => `has no ${key}; it has: ${known.join(', ') || 'none'}${meant(key, known)}`)
        .join('; ');
    }
    case 'invalid_type': {
      const { expected } = issue;
      if (issue.inst instanceof z.ZodMiniObject)
        return `must be an object of ${Object.keys(issue.inst.def.shape).join(', ') || 'no fields'}`;
      if (expected === 'int') return 'must be an integer';
      return `must be ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
    }
    default:
      return undefined;
  }
}

/** The message of Zod for a union that has no words of its own. */
const unworded = 'Invalid input';

/** The issue with its words. Of a union, those of the alternative that the value was meant for, or what all of them take. */
function worded(issue: Issue): { readonly path: readonly PropertyKey[]; readonly text: string } {
  const { path, message } = issue;
  const got = `, got ${showValue(issue.input)}`;
  if (issue.code !== 'invalid_union') {
    const isComplete =
      issue.code === 'unrecognized_keys' || /\bgot |, as in |^is |^has /.test(message);
    return { path, text: isComplete ? message : message + got };
  }
  const isInside = (one: Issue) => one.path.length > 0 || one.code === 'unrecognized_keys';
  const inside = issue.errors.find((issues) => issues.some(isInside));
  if (inside) {
    const deep = worded(inside.find(isInside)!);
    return { path: [...path, ...deep.path], text: deep.text };
  }
  if (message !== unworded) return { path, text: message + got };
  const texts = issue.errors.map(([first]) => worded(first!).text.replace(/, got .*/, ''));
  const [first, ...others] = [...new Set(texts)];
  const all = [first, ...others.map((text) => text.replace(/^must be /, ''))].join(', or ');
  return { path, text: all + got };
}

/**
 * The value as the schema reads it.
 *
 * @throws TypeError that names every invalid part, what it must be, and what came.
 */
export function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  name: string,
): z.output<Schema> {
  return read(schema, value, (path, text) => `${[name, ...path].join('.')} ${text}`);
}

/** The options of a function as the schema reads them: a message names the option alone. @throws TypeError as {@link check}. */
export function checkOptions<Schema extends z.ZodMiniType>(
  of: string,
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  // A collection has no own fields, so it would look like an empty object.
  if (typeof options === 'object' && options !== null && !isRecord(options))
    throw new TypeError(`${of} takes an object of options, got ${showValue(options)}`);
  return read(schema, options, (path, text) =>
    path.length > 0 ? `${path.join('.')} ${text}` : `${of} ${text.replace('must be', 'takes')}`,
  );
}

/** The schema of options, each of which may be left out. */
export const optional = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<{ [Name in keyof Shape]: z.ZodMiniOptional<Shape[Name]> }, z.core.$strict> =>
  z.partial(z.strictObject(shape)) as never;

function read<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  sentence: (path: readonly PropertyKey[], text: string) => string,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value, { error: explain, reportInput: true });
  if (success) return data;
  const problems = error.issues.map(worded).map(({ path, text }) => sentence(path, text));
  // A value may break a rule twice: one that is too large is no safe integer either.
  throw new TypeError([...new Set(problems)].join('; '));
}
