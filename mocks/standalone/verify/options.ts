import { parseArgs } from 'node:util';
import type { Permit } from '../../verify/types.js';
import { checkFlags, readInteger, readMs, UsageError } from '../cli/check-flags.js';

/** What the command line of `petstore-mock verify` asks for. */
export interface VerifyCliOptions {
  readonly address: string;
  readonly basePath: string | undefined;
  readonly keyFromStdin: boolean;
  readonly secondKey: boolean;
  readonly allow: readonly Permit[];
  readonly maxRequests: number | undefined;
  readonly timeout: number | undefined;
  readonly only: readonly string[] | undefined;
  readonly check: string | undefined;
  readonly write: string | undefined;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly list: boolean;
  readonly quiet: boolean;
  readonly help: boolean;
}

/** One flag of the command line: the value that it takes, if any, an example of it, and what `--help` says. */
export interface Flag {
  readonly value?: string;
  readonly example?: string;
  readonly about: string;
  readonly short?: string;
  readonly multiple?: true;
}

/** Every flag, by the title under which `--help` lists it. */
export const flagGroups: Readonly<Record<string, Readonly<Record<string, Flag>>>> = {
  'What may be sent (default: only GET requests)': {
    'allow-posts': {
      about:
        'Also send POST requests with a mistake in them, or without a key. A correct service refuses them, and creates no pet.',
    },
    'allow-create': {
      about:
        'Also create 3 pets, and send the POST requests of --allow-posts. The pets stay, because the interface has no DELETE. On a terminal the command asks before it starts.',
    },
    'allow-rate-limit': {
      about:
        'Also send requests until the service refuses one (status 429), and one more after the wait. Only this shows what a 429 looks like. Cost: the requests of a minute; until it is over, the service refuses the key for every program that uses it. Use a key of the Free plan.',
    },
    'max-requests': {
      value: 'N',
      example: '60',
      about:
        'Never send more than N requests in all, 1 to 1000. Default: 40; 20 more with --allow-posts or --allow-create, 80 more with --allow-rate-limit.',
    },
    'second-key': {
      about:
        'Also send 4 requests with two keys in turn, which show whether each key has a quota of its own. The second key comes from PETSTORE_SECOND_API_KEY, or from the second line of stdin.',
    },
  },
  'What is asked (default: all)': {
    only: {
      value: 'NAME',
      example: 'list.default-20',
      multiple: true,
      about:
        'Ask only this statement (list.default-20), group of statements (list), or assumption. Separate several with commas, or repeat --only.',
    },
    list: { about: 'Print all names for --only. Sends nothing, needs no ADDRESS and no key.' },
    'dry-run': { about: 'Print the requests of this run. Sends nothing, and needs no key.' },
  },
  'Where and how': {
    'base-path': {
      value: 'PATH',
      example: '/v1',
      about: 'The path before /pets. Default /v1. Without a prefix: --base-path /',
    },
    'key-stdin': { about: 'Read the key from the first line of stdin.' },
    timeout: {
      value: 'TIME',
      example: '10s',
      about:
        'Wait at most so long for a response: 5s, 500ms, or a number of milliseconds. Up to 10m. Default 10s.',
    },
  },
  'Output (default: a text report on stdout, the progress on stderr)': {
    json: { about: 'Print the report as JSON.' },
    write: {
      value: 'FILE',
      example: 'petstore.assumptions.json',
      about:
        'Write the measured assumptions to FILE, for petstore-mock --assumptions FILE. Not when nothing was measured, or when a value differs from --check.',
    },
    check: {
      value: 'FILE',
      example: 'petstore.assumptions.json',
      about: 'Compare with FILE of an earlier --write: exit code 1 when a value has changed.',
    },
    quiet: { short: 'q', about: 'Print no progress.' },
    help: { short: 'h', about: 'Print this text.' },
  },
};

const flags = Object.fromEntries(Object.values(flagGroups).flatMap(Object.entries<Flag>));

/** Flags that were there once, each with what replaces it. */
const removed: Readonly<Record<string, string>> = {
  record: 'A HAR file of a browser or a proxy keeps requests; @mswjs/source plays it.',
  junit: 'Use the exit code, or --json.',
  'max-pets': '--allow-create creates 3 pets.',
  force: '--write writes FILE also when a statement fails.',
};

const config = Object.fromEntries(
  Object.entries(flags).map(([name, { value, short, multiple }]) => [
    name,
    {
      type: value === undefined ? ('boolean' as const) : ('string' as const),
      ...(short !== undefined && { short }),
      ...(multiple && { multiple }),
    },
  ]),
);
const examples = Object.fromEntries(
  Object.entries(flags).flatMap(([name, { example }]) => (example ? [[name, example]] : [])),
);

/** @throws UsageError that names the flag, and the nearest known one, or what replaces it. */
export function readVerifyOptions(args: readonly string[]): VerifyCliOptions {
  const { tokens } = parseArgs({ args: [...args], options: config, strict: false, tokens: true });
  const addresses = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  for (const token of tokens)
    if (token.kind === 'option' && Object.hasOwn(removed, token.name))
      throw new UsageError(`${token.rawName} is no longer there. ${removed[token.name]}`);
  const rest = args.filter((one) => !addresses.includes(one));
  checkFlags(rest, config, examples);
  const { values } = parseArgs({ args: rest, options: config });
  const isSet = (name: string) => values[name] === true;
  const text = (name: string) => values[name] as string | undefined;
  if (!isSet('help') && !isSet('list') && addresses.length !== 1)
    throw new UsageError(
      addresses.length === 0
        ? 'verify needs the address of the service, as in petstore-mock verify https://staging.petstore.example'
        : `verify takes one address, not ${addresses.length}: ${addresses.join(', ')}.`,
    );
  const read = <Value>(name: string, as: (flag: string, value: string) => Value) =>
    text(name) === undefined ? undefined : as(`--${name}`, text(name)!);
  const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];
  return {
    address: addresses[0] ?? '',
    basePath: text('base-path'),
    keyFromStdin: isSet('key-stdin'),
    secondKey: isSet('second-key'),
    allow: permits.filter((permit) => isSet(`allow-${permit}`)),
    maxRequests: read('max-requests', (flag, value) => readInteger(flag, value, 1, 1_000)),
    timeout: read('timeout', (flag, value) => readMs(flag, value, 1, 600_000)),
    only: (values['only'] as string[] | undefined)?.flatMap((one) =>
      one.split(',').map((name) => name.trim()),
    ),
    check: text('check'),
    write: text('write'),
    json: isSet('json'),
    dryRun: isSet('dry-run'),
    list: isSet('list'),
    quiet: isSet('quiet'),
    help: isSet('help'),
  };
}
