import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { plans, type PlanName, type Quota } from '../../../src/contract/rate-limits.js';
import { isHostName } from '../../control/check-origin.js';
import { nearest } from '../../utils/did-you-mean.js';
import { checkFlags, readInteger, readMs, UsageError } from './check-flags.js';

/** A fault as `--fault` takes it, in the quotes of a shell. */
export const exampleFault = `'{"status":503,"times":2}'`;

/** A flag of the program. Parsing, types and the help are made from these rows. Their values are not checked by Zod: it would take longer to load than `--help` takes. */
export interface Flag<Value> {
  /** What stands for its value in the help; undefined for a switch. */
  readonly takes?: string;
  readonly help: string;
  /** A value, for a message. */
  readonly example?: string;
  readonly short?: string;
  /** Whether it may be given several times. */
  readonly isList?: true;
  /** The value where it is left out, in words. */
  readonly standard?: string;
  /** The option of what is given, which is `standard` where it is left out. */
  readonly read: (given: never) => Value;
}

export const row = <Value>(flag: Flag<Value>): Flag<Value> => flag;
export const aSwitch = (help: string, short?: string): Flag<boolean> =>
  row({ help, ...(short !== undefined && { short }), read: (given?: boolean) => given === true });
export const text = (given?: string): string | undefined => given;

const choice =
  <Value extends string>(flag: string, ...known: readonly Value[]) =>
  (given: Value): Value => {
    if (known.includes(given)) return given;
    throw new UsageError(`${flag} is ${known.join(' or ')}, not "${given}".`);
  };

interface KeyOfFlag {
  readonly plan: PlanName | Quota;
}

/** The flags, in the order of the help. */
export const flags = {
  port: row({
    takes: 'N',
    standard: '4010',
    example: '4011',
    help: 'port to listen on; 0 takes a free one',
    read: (given: string) => readInteger('--port', given, 0, 65_535),
  }),
  host: row({
    takes: 'ADDRESS',
    standard: '127.0.0.1',
    example: '127.0.0.1',
    help: 'address to listen on',
    read: (given: string) => given,
  }),
  'allow-host': row({
    takes: 'NAME',
    isList: true,
    example: 'petstore-mock',
    help: 'another host for which /_mock answers; repeat for more',
    read: (given: readonly string[]) => given.map(readHost),
  }),
  seed: row({
    takes: 'N|FILE',
    standard: '20',
    example: '100',
    help: 'number of made-up pets at the start, or a JSON file of pets',
    read: (given: string) =>
      /^-?\d+$/.test(given) ? readInteger('--seed', given, 0, 10_000_000) : given,
  }),
  key: row({
    takes: 'KEY=PLAN',
    isList: true,
    example: 'tiny=5/100',
    help: `another key; repeat for more. PLAN is ${Object.keys(plans).join(', ')}, or requests a minute and a day: 10/500`,
    read: (given: readonly string[]): Readonly<Record<string, KeyOfFlag>> =>
      Object.fromEntries(given.map(readKey)),
  }),
  limits: row({
    takes: 'off',
    standard: 'on',
    example: 'off',
    help: 'enforce no quotas',
    read: choice('--limits', 'on', 'off'),
  }),
  fault: row({
    takes: 'JSON',
    isList: true,
    example: exampleFault,
    help: 'a fault from the start; repeat for more',
    read: (given: readonly string[]) => given,
  }),
  assumptions: row({
    takes: 'FILE',
    example: 'assumptions.json',
    help: 'what the interface leaves open, as JSON',
    read: text,
  }),
  latency: row({
    takes: 'TIME',
    standard: '0',
    example: '250',
    help: 'time that each request takes: 2s, or 250 (ms)',
    read: (given: string) => readMs('--latency', given, 0, 600_000),
  }),
  clock: row({
    takes: 'KIND',
    standard: 'system',
    example: 'virtual',
    help: 'system, or virtual: moves only when advanced',
    read: choice('--clock', 'system', 'virtual'),
  }),
  state: row({
    takes: 'FILE',
    example: 'pets.json',
    help: 'keep pets, keys and quotas in FILE across restarts',
    read: text,
  }),
  json: aSwitch('print one line of JSON instead of text'),
  help: aSwitch('print this text', 'h'),
  version: aSwitch('print the version', 'v'),
};

type Flags = Readonly<Record<string, Flag<unknown>>>;

/** A command line that was parsed by a table of flags. */
export type OptionsOf<Rows extends Flags> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Flag<infer Value> ? Value : never;
} & {
  /** The flags that were given. */
  readonly given: readonly string[];
};

/** The parsed command line. */
export type CliOptions = OptionsOf<typeof flags>;

/** A table of flags for Node's own parser. */
export const parsedBy = (rows: Flags): ParseArgsOptionsConfig =>
  Object.fromEntries(
    Object.entries(rows).map(([name, { takes, short, isList = false }]) => [
      name,
      {
        type: takes === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isList,
        ...(short !== undefined && { short }),
      },
    ]),
  );

/** Reads a command line, by default that of the program. @throws UsageError that names the flag, and the nearest known one. */
export function readOptions(args: readonly string[]): CliOptions;
export function readOptions<Rows extends Flags>(
  args: readonly string[],
  rows: Rows,
): OptionsOf<Rows>;
export function readOptions(args: readonly string[], rows: Flags = flags): OptionsOf<Flags> {
  const all = Object.entries(rows);
  const options = parsedBy(rows);
  checkFlags(args, options, Object.fromEntries(all.map(([name, { example }]) => [name, example])));
  const { values } = parseArgs({ args: [...args], options });
  const read = all.map(([name, { standard, isList, read }]) => [
    name,
    read((values[name] ?? (isList ? [] : standard)) as never),
  ]);
  return { ...Object.fromEntries(read), given: Object.keys(values) } as OptionsOf<Flags>;
}

const textWidth = 58;

/** The lines of the help about the flags. */
export function flagHelp(rows: Readonly<Record<string, Flag<unknown>>> = flags): string {
  return Object.entries(rows)
    .map(([name, { takes = '', short, help, standard }]) => {
      const left = `  ${short === undefined ? '' : `-${short}, `}--${name} ${takes}`.padEnd(21);
      const words = standard === undefined ? help : `${help} (${standard})`;
      return left + wrapped(words).join(`\n${' '.repeat(21)}`);
    })
    .join('\n');
}

function wrapped(words: string): string[] {
  return [...words.matchAll(new RegExp(`(.{1,${textWidth}})(?: |$)`, 'g'))].map(
    ([, line]) => line!,
  );
}

function readHost(value: string): string {
  if (isHostName(value)) return value;
  throw new UsageError(
    `--allow-host takes a host name or an address without a port, as in --allow-host petstore-mock, not "${value}".`,
  );
}

/** The last `=` separates key and plan: a key may contain one, a plan never does. */
function readKey(value: string): [string, KeyOfFlag] {
  const [, key, plan = ''] = /^(\S+)=([^=]+)$/.exec(value) ?? [];
  const [, perMinute, perDay] = /^(\d+)\/(\d+)$/.exec(plan) ?? [];
  if (key !== undefined && Object.hasOwn(plans, plan)) return [key, { plan: plan as PlanName }];
  if (key !== undefined && Number(perMinute) > 0 && Number(perDay) > 0)
    return [key, { plan: { perMinute: Number(perMinute), perDay: Number(perDay) } }];
  const names = Object.keys(plans);
  const near = nearest(plan, names);
  const hint = near === undefined ? '' : ` Did you mean ${key}=${near}?`;
  throw new UsageError(
    `--key takes KEY=PLAN, not "${value}".${hint} PLAN is ${names.join(', ')}, or requests a minute and a day: --key my-key=10/500.`,
  );
}
