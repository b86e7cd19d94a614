import { parseArgs } from 'node:util';
import { readDuration, type Duration } from '../../clock/duration.js';
import { longestDuration } from '../../utils/check.js';
import { attempt, nearest } from '../../utils/options.js';

/** An error on the command line; the message says what to do. */
export class UsageError extends Error {}

/**
 * A flag of a program. Parsing, types and the help are made from a table of them. Their values are not checked by Zod: it would
 * take longer to load than `--help` takes.
 */
export interface Flag<Value> {
  /** What stands for its value in the help; empty for a switch. */
  readonly takes: string;
  readonly help: string;
  readonly short?: string | undefined;
  /** The value where it is left out. */
  readonly standard?: string | undefined;
  /** The option of the texts that were given. */
  readonly read: (given: readonly string[], name: string) => Value;
}

/** A text as a value. @throws Error that says what the flag takes. */
type Read<Value> = (text: string) => Value;

/** A flag that may be given several times. */
export const list = <Value>(
  takes: string,
  help: string,
  read: Read<Value>,
): Flag<readonly Value[]> => ({
  takes,
  help,
  read: (given, name) =>
    given.map((text) => {
      try {
        return read(text);
      } catch (error) {
        if (error instanceof UsageError) throw error;
        throw new UsageError(`--${name} takes ${(error as Error).message}, not "${text}".`);
      }
    }),
});

/** A flag with one value, of which the last one counts. */
export function flag<Value, Standard extends string | undefined = undefined>(
  takes: string,
  help: string,
  read: Read<Value>,
  standard?: Standard,
): Flag<Standard extends string ? Value : Value | undefined> {
  const all = list(takes, help, read);
  const last = (given: readonly string[]) => given.at(-1) ?? standard ?? [];
  return {
    ...all,
    standard,
    read: (given, name) => all.read([last(given)].flat(), name)[0] as Value,
  };
}

export const aSwitch = (help: string, short?: string): Flag<boolean> => ({
  takes: '',
  help,
  short,
  read: (given) => given.length > 0,
});

/** A whole number; `also`: what else the flag takes, in words. */
export function integer(least: number, most: number, also = ''): Read<number> {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new Error(`a whole number from ${least} to ${most}${also}`);
  };
}

/** A length of time, in ms: a number of them, or a number with its unit. */
export function span(least: number, most: number = longestDuration): Read<number> {
  return (text) => {
    const given = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (text as Duration);
    const ms = attempt(() => readDuration(given)) ?? NaN;
    if (ms >= least && ms <= most) return ms;
    const end = most === longestDuration ? '100 years' : most;
    throw new Error(`ms from ${least} to ${end}, or a number with its unit, such as 250ms or 2s`);
  };
}

type Flags = Readonly<Record<string, Flag<unknown>>>;

/** A command line that was read by a table of flags. */
export type OptionsOf<Rows extends Flags> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Flag<infer Value> ? Value : never;
} & {
  /** The flags that were given. */
  readonly given: readonly string[];
  /** What belongs to no flag. */
  readonly others: readonly string[];
};

/** Reads a command line. @throws UsageError that names the flag, and the nearest known one. */
export function readFlags<Rows extends Flags>(
  args: readonly string[],
  rows: Rows,
): OptionsOf<Rows> {
  const all = Object.entries<Flag<unknown>>(rows);
  const options = Object.fromEntries(
    all.map(([name, { takes, short }]) => {
      const type = takes === '' ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: true, ...(short && { short }) }] as const;
    }),
  );
  // Not strict, because the messages of Node do not suggest a flag.
  const parsed = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value = '', inlineValue = false } = token;
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (!row) throw new UsageError(unknownFlag(name, rawName, rows));
    if (row.takes === '' && inlineValue) throw new UsageError(`${rawName} takes no value.`);
    // `--seed -1` has an invalid value; `--seed --json` has none.
    if (row.takes !== '' && (value === '' || (!inlineValue && /^-(?!\d)/.test(value))))
      throw new UsageError(`${rawName} needs a value: ${rawName} ${row.takes}.`);
  }
  const given = parsed.values as Readonly<Record<string, readonly string[]>>;
  const read = all.map(([name, { read }]) => [name, read(given[name] ?? [], name)]);
  const more = { given: Object.keys(given), others: parsed.positionals };
  return { ...Object.fromEntries(read), ...more } as OptionsOf<Rows>;
}

function unknownFlag(name: string, rawName: string, rows: Flags): string {
  const known = Object.keys(rows);
  const meant =
    name.length === 1
      ? known.find((flag) => flag.startsWith(name.toLowerCase()))
      : nearest(name, known);
  return `There is no ${rawName}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}

const textWidth = 58;

/** The lines of the help about the flags. */
export function flagHelp(rows: Flags): string {
  return Object.entries(rows)
    .map(([name, { takes, short, help, standard }]) => {
      const left = `  ${short === undefined ? '' : `-${short}, `}--${name} ${takes}`.padEnd(21);
      const words = standard === undefined ? help : `${help} (${standard})`;
      const lines = words.matchAll(new RegExp(`(.{1,${textWidth}})(?: |$)`, 'g'));
      return left + [...lines].map(([, line]) => line).join(`\n${' '.repeat(21)}`);
    })
    .join('\n');
}
