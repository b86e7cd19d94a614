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
  readonly maxPets: number | undefined;
  readonly timeout: number | undefined;
  readonly only: readonly string[] | undefined;
  readonly check: string | undefined;
  readonly write: string | undefined;
  readonly force: boolean;
  readonly record: string | undefined;
  readonly junit: string | undefined;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly list: boolean;
  readonly quiet: boolean;
  readonly help: boolean;
}

const aSwitch = { type: 'boolean', default: false } as const;
const flags = {
  'base-path': { type: 'string' },
  'key-stdin': aSwitch,
  'second-key': aSwitch,
  'allow-posts': aSwitch,
  'allow-create': aSwitch,
  'allow-rate-limit': aSwitch,
  'max-requests': { type: 'string' },
  'max-pets': { type: 'string' },
  timeout: { type: 'string' },
  only: { type: 'string', multiple: true },
  check: { type: 'string' },
  write: { type: 'string' },
  force: aSwitch,
  record: { type: 'string' },
  junit: { type: 'string' },
  json: aSwitch,
  'dry-run': aSwitch,
  list: aSwitch,
  quiet: { ...aSwitch, short: 'q' },
  help: { ...aSwitch, short: 'h' },
} as const;
const examples = {
  'base-path': '/v1',
  'max-requests': '60',
  'max-pets': '6',
  timeout: '10s',
  only: 'list.default-20',
  check: 'petstore.assumptions.json',
  write: 'petstore.assumptions.json',
  record: 'petstore.recording.json',
  junit: 'verify.xml',
};

/** @throws UsageError that names the flag, and the nearest known one. */
export function readVerifyOptions(args: readonly string[]): VerifyCliOptions {
  const positionals = addressesOf(args);
  const rest = args.filter((one) => !positionals.includes(one));
  checkFlags(rest, flags, examples);
  const { values } = parseArgs({ args: rest, options: flags });
  const { help, list, check, write, force, record, junit, json, quiet, timeout } = values;
  if (!help && !list && positionals.length !== 1)
    throw new UsageError(
      positionals.length === 0
        ? 'verify needs the address of the service, as in petstore-mock verify https://staging.petstore.example'
        : `verify takes one address, not ${positionals.length}: ${positionals.join(', ')}.`,
    );
  const whole = (flag: string, value: string | undefined, most: number) =>
    value === undefined ? undefined : readInteger(flag, value, 1, most);
  const allow: Permit[] = [];
  if (values['allow-posts'] || values['allow-create']) allow.push('posts');
  if (values['allow-create']) allow.push('create');
  if (values['allow-rate-limit']) allow.push('rate-limit');
  return {
    address: positionals[0] ?? '',
    basePath: values['base-path'],
    keyFromStdin: values['key-stdin'],
    secondKey: values['second-key'],
    allow,
    maxRequests: whole('--max-requests', values['max-requests'], 1_000),
    maxPets: whole('--max-pets', values['max-pets'], 100),
    timeout: timeout === undefined ? undefined : readMs('--timeout', timeout, 1, 600_000),
    only: values.only?.flatMap((one) => one.split(',').map((name) => name.trim())),
    check,
    write,
    force,
    record,
    junit,
    json,
    dryRun: values['dry-run'],
    list,
    quiet,
    help,
  };
}

/** The addresses of the line: what looks like one, and what stands alone behind no flag that takes a value. */
function addressesOf(args: readonly string[]): string[] {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  return tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
}
