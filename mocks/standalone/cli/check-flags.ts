import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readDuration, type Duration } from '../../clock/duration.js';
import { nearest } from '../../utils/did-you-mean.js';

/** An error on the command line; the message says what to do. */
export class UsageError extends Error {}

/**
 * Finds the first error before Node's own parser does, to give a better message.
 *
 * @param examples a value for each flag that takes one.
 * @throws UsageError
 */
export function checkFlags(
  args: readonly string[],
  flags: ParseArgsOptionsConfig,
  examples: Readonly<Record<string, string | undefined>>,
): void {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(noOption(token.value));
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(flags, name))
      throw new UsageError(unknownFlag(name, rawName, Object.keys(flags)));
    const isSwitch = flags[name]?.type === 'boolean';
    if (isSwitch && value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    if (
      !isSwitch &&
      (value === undefined || value === '' || (!inlineValue && value.startsWith('-')))
    ) {
      throw new UsageError(
        `${rawName} needs a value, as in ${rawName} ${examples[name] ?? 'VALUE'}.`,
      );
    }
  }
}

/** The command that the program has, besides serving. It stands first. */
const command = 'verify';

function noOption(value: string): string {
  const text = `"${value}" belongs to no option.`;
  if (/^\d+$/.test(value)) return `${text} Did you mean --port ${value}?`;
  if (/^https?:/.test(value)) return `${text} Did you mean petstore-mock ${command} ${value}?`;
  return nearest(value, [command]) === undefined
    ? text
    : `${text} Did you mean the command ${command}? It stands first: petstore-mock ${command} ADDRESS`;
}

/** Reads a whole number. @throws UsageError outside of `least` to `most`. */
export function readInteger(flag: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < least || number > most)
    throw new UsageError(`${flag} takes a whole number from ${least} to ${most}, not "${value}".`);
  return number;
}

/** Reads a length of time: whole ms, or a number with its unit. @throws UsageError outside of `least` to `most` ms. */
export function readMs(flag: string, value: string, least: number, most: number): number {
  let ms = NaN;
  try {
    ms = readDuration(/^\d+$/.test(value) ? Number(value) : (value as Duration));
  } catch {
    // It is no length of time at all: the message below says what is.
  }
  if (!(ms >= least && ms <= most))
    throw new UsageError(
      `${flag} takes ms from ${least} to ${most}, or a number with its unit, as in ${flag} 250ms or ${flag} 2s, not "${value}".`,
    );
  return ms;
}

function unknownFlag(name: string, rawName: string, known: readonly string[]): string {
  const meant =
    name.length === 1
      ? known.find((flag) => flag.startsWith(name.toLowerCase()))
      : nearest(name, known);
  return `There is no ${rawName}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}
