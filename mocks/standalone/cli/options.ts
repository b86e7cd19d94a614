import { parseArgs } from 'node:util';
import { plans, type PlanName, type Quota } from '../../../src/contract/rate-limits.js';
import { isHostName } from '../../control/check-origin.js';
import { nearest } from '../../utils/did-you-mean.js';
import { checkFlags, readInteger, readMs, UsageError } from './check-flags.js';

/** The parsed command line. */
export interface CliOptions {
  port: number;
  host: string;
  /** Hosts for which the control API answers too. */
  allowHosts: readonly string[];
  /** The number of pets at the start and after a reset, or the file that holds them. */
  seed: number | string;
  /** Whether `--seed` was given. */
  seedGiven: boolean;
  keys: Record<string, { plan: PlanName | Quota }>;
  limits: 'on' | 'off';
  /** Each as JSON, which is not parsed yet. */
  faults: readonly string[];
  /** The file that holds them. */
  assumptions: string | undefined;
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
  'allow-host': { type: 'string', multiple: true },
  seed: { type: 'string' },
  key: { type: 'string', multiple: true },
  limits: { type: 'string' },
  fault: { type: 'string', multiple: true },
  assumptions: { type: 'string' },
  latency: { type: 'string' },
  clock: { type: 'string' },
  state: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** A fault as `--fault` takes it, in the quotes of a shell. */
export const exampleFault = `'{"status":503,"times":2}'`;

const examples = {
  port: '4011',
  host: '127.0.0.1',
  'allow-host': 'petstore-mock',
  seed: '100',
  key: 'tiny=5/100',
  limits: 'off',
  fault: exampleFault,
  assumptions: 'assumptions.json',
  latency: '250',
  clock: 'virtual',
  state: 'pets.json',
};

/** Reads the command line. @throws UsageError that names the flag, and the nearest known one. */
export function readOptions(args: readonly string[]): CliOptions {
  checkFlags(args, flags, examples);
  const { values } = parseArgs({ args: [...args], options: flags });
  const { seed = '20' } = values;
  const options: CliOptions = {
    port: readInteger('--port', values.port ?? '4010', 0, 65_535),
    host: values.host ?? '127.0.0.1',
    allowHosts: (values['allow-host'] ?? []).map(readHost),
    seed: /^-?\d+$/.test(seed) ? readInteger('--seed', seed, 0, 10_000_000) : seed,
    seedGiven: values.seed !== undefined,
    keys: Object.fromEntries((values.key ?? []).map(readKey)),
    limits: choice('--limits', values.limits, ['on', 'off']) ?? 'on',
    faults: values.fault ?? [],
    assumptions: values.assumptions,
    latency: readMs('--latency', values.latency ?? '0', 0, 600_000),
    clock: choice('--clock', values.clock, ['system', 'virtual']) ?? 'system',
    state: values.state,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
  checkState(options);
  return options;
}

function readHost(value: string): string {
  if (isHostName(value)) return value;
  throw new UsageError(
    `--allow-host takes a host name or an address without a port, as in --allow-host ${examples['allow-host']}, not "${value}".`,
  );
}

function checkState({ state }: CliOptions): void {
  if (state === ':memory:')
    throw new UsageError('--state takes a file. Leave it out to keep everything in memory.');
}

function choice<Value extends string>(
  flag: string,
  value: string | undefined,
  known: readonly Value[],
): Value | undefined {
  if (value === undefined || known.includes(value as Value)) return value as Value | undefined;
  throw new UsageError(`${flag} is ${known.join(' or ')}, not "${value}".`);
}

/** The last `=` separates key and plan: a key may contain one, a plan never does. */
function readKey(value: string): [string, { plan: PlanName | Quota }] {
  const [, key, plan] = /^(\S+)=([^=]+)$/.exec(value) ?? [];
  const [, perMinute, perDay] = /^(\d+)\/(\d+)$/.exec(plan ?? '') ?? [];
  if (key !== undefined && plan !== undefined && Object.hasOwn(plans, plan))
    return [key, { plan: plan as PlanName }];
  if (key !== undefined && Number(perMinute) > 0 && Number(perDay) > 0)
    return [key, { plan: { perMinute: Number(perMinute), perDay: Number(perDay) } }];
  const names = Object.keys(plans);
  const meant = plan === undefined ? undefined : nearest(plan, names);
  const hint = meant === undefined ? '' : ` Did you mean ${key}=${meant}?`;
  throw new UsageError(
    `--key takes KEY=PLAN, not "${value}".${hint} PLAN is ${names.join(', ')}, or requests a minute and a day: --key my-key=10/500.`,
  );
}
