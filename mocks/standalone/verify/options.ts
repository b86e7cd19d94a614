import { parseArgs } from 'node:util';
import type { Permit } from '../../verify/types.js';
import { checkFlags, readMs, UsageError } from '../cli/check-flags.js';

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

const flags = {
  'base-path': { type: 'string' },
  'key-stdin': { type: 'boolean' },
  'second-key': { type: 'boolean' },
  'allow-posts': { type: 'boolean' },
  'allow-create': { type: 'boolean' },
  'allow-rate-limit': { type: 'boolean' },
  'max-requests': { type: 'string' },
  'max-pets': { type: 'string' },
  timeout: { type: 'string' },
  only: { type: 'string', multiple: true },
  check: { type: 'string' },
  write: { type: 'string' },
  force: { type: 'boolean' },
  record: { type: 'string' },
  junit: { type: 'string' },
  json: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  list: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  help: { type: 'boolean', short: 'h' },
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
  const help = values.help ?? false;
  const list = values.list ?? false;
  if (!help && !list && positionals.length !== 1)
    throw new UsageError(
      positionals.length === 0
        ? 'verify needs the address of the service, as in petstore-mock verify https://staging.petstore.example'
        : `verify takes one address, not ${positionals.length}: ${positionals.join(', ')}.`,
    );
  const allow: Permit[] = [];
  if (values['allow-posts'] ?? values['allow-create'] ?? false) allow.push('posts');
  if (values['allow-create'] ?? false) allow.push('create');
  if (values['allow-rate-limit'] ?? false) allow.push('rate-limit');
  return {
    address: positionals[0] ?? '',
    basePath: values['base-path'],
    keyFromStdin: values['key-stdin'] ?? false,
    secondKey: values['second-key'] ?? false,
    allow,
    maxRequests: integer('--max-requests', values['max-requests'], 1_000),
    maxPets: integer('--max-pets', values['max-pets'], 100),
    timeout:
      values.timeout === undefined ? undefined : readMs('--timeout', values.timeout, 1, 600_000),
    only: values.only?.flatMap((one) => one.split(',').map((name) => name.trim())),
    check: values.check,
    write: values.write,
    force: values.force ?? false,
    record: values.record,
    junit: values.junit,
    json: values.json ?? false,
    dryRun: values['dry-run'] ?? false,
    list,
    quiet: values.quiet ?? false,
    help,
  };
}

/** The addresses of the line: what looks like one, and what stands alone behind no flag that takes a value. */
function addressesOf(args: readonly string[]): string[] {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  return tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
}

function integer(flag: string, value: string | undefined, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > most)
    throw new UsageError(`${flag} takes a whole number from 1 to ${most}, not "${value}".`);
  return number;
}
