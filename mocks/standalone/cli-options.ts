import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type PlanName, type Quota, plans } from '../../src/contract/rate-limits.js';
import { nearest } from '../utils/did-you-mean.js';

/** What the command line asks for. */
export interface CliOptions {
  port: number;
  host: string;
  /** How many pets there are at the start, and after a reset. */
  seed: number;
  /** Whether the line says so itself. */
  seedGiven: boolean;
  keys: Record<string, { plan: PlanName | Quota }>;
  latency: number;
  clock: 'system' | 'virtual';
  state: string | undefined;
  json: boolean;
  help: boolean;
  version: boolean;
}

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  seed: { type: 'string' },
  key: { type: 'string', multiple: true },
  latency: { type: 'string' },
  clock: { type: 'string' },
  state: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
const examples = {
  port: '4011',
  host: '127.0.0.1',
  seed: '100',
  key: 'tiny=5/100',
  latency: '250',
  clock: 'virtual',
  state: 'pets.db',
};

/** @throws UsageError that names the flag, and the nearest known one. */
export function readOptions(args: readonly string[]): CliOptions {
  check(args, flags, examples);
  const { values } = parseArgs({ args: [...args], options: flags });
  if (values.clock !== undefined && values.clock !== 'system' && values.clock !== 'virtual') {
    throw new UsageError(`--clock is system or virtual, not "${values.clock}".`);
  }
  return {
    port: integer('--port', values.port, 4010, 65_535),
    host: values.host ?? '127.0.0.1',
    seed: integer('--seed', values.seed, 20, 10_000_000),
    seedGiven: values.seed !== undefined,
    keys: Object.fromEntries((values.key ?? []).map(keyAndPlan)),
    latency: integer('--latency', values.latency, 0, 600_000),
    clock: values.clock ?? 'system',
    state: values.state,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function integer(flag: string, value: string | undefined, fallback: number, most: number): number {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > most)
    throw new UsageError(`${flag} takes a whole number from 0 to ${most}, not "${value}".`);
  return number;
}

/** A key may hold a `=` itself: no plan does. */
function keyAndPlan(value: string): [string, { plan: PlanName | Quota }] {
  const [, key, plan] = /^(\S+)=([^=]+)$/.exec(value) ?? [];
  const [, perMinute, perDay] = /^(\d+)\/(\d+)$/.exec(plan ?? '') ?? [];
  if (key !== undefined && plan !== undefined && Object.hasOwn(plans, plan))
    return [key, { plan: plan as PlanName }];
  if (key !== undefined && Number(perMinute) > 0 && Number(perDay) > 0) {
    return [key, { plan: { perMinute: Number(perMinute), perDay: Number(perDay) } }];
  }
  const names = Object.keys(plans);
  const meant = plan === undefined ? undefined : nearest(plan, names);
  const hint = meant === undefined ? '' : ` Did you mean ${key}=${meant}?`;
  throw new UsageError(
    `--key takes KEY=PLAN, not "${value}".${hint} PLAN is ${names.join(', ')}, or requests a minute and a day: --key my-key=10/500.`,
  );
}

/** A mistake on the command line; the message says the way out. */
export class UsageError extends Error {}

/**
 * Finds the first mistake before Node's own parser does, to say it in words of this program.
 *
 * @param examples a value for each flag that takes one.
 * @throws UsageError
 */
export function check(
  args: readonly string[],
  flags: ParseArgsOptionsConfig,
  examples: Readonly<Record<string, string>>,
): void {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(stray(token.value));
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(flags, name))
      throw new UsageError(unknown(name, rawName, Object.keys(flags)));
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

const stray = (value: string) =>
  `"${value}" belongs to no option.${/^\d+$/.test(value) ? ` Did you mean --port ${value}?` : ''}`;

function unknown(name: string, rawName: string, known: readonly string[]): string {
  const meant =
    name.length === 1
      ? known.find((flag) => flag.startsWith(name.toLowerCase()))
      : nearest(name, known);
  return `There is no ${rawName}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}
