import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
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
  examples: Readonly<Record<string, string>>,
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

const noOption = (value: string) =>
  `"${value}" belongs to no option.${/^\d+$/.test(value) ? ` Did you mean --port ${value}?` : ''}`;

function unknownFlag(name: string, rawName: string, known: readonly string[]): string {
  const meant =
    name.length === 1
      ? known.find((flag) => flag.startsWith(name.toLowerCase()))
      : nearest(name, known);
  return `There is no ${rawName}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}
