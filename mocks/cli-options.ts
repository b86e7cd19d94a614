import { parseArgs } from 'node:util';
import { plans, type PlanName, type Quota } from '../src/contract/plans.js';

/** What the command line asks for. */
export interface CliOptions {
  port: number;
  host: string;
  /** How many pets there are at the start, and after a reset. */
  seed: number;
  keys: Record<string, { plan: PlanName | Quota }>;
  latency: number;
  clock: 'system' | 'virtual';
  state: string | undefined;
  json: boolean;
  help: boolean;
  version: boolean;
}

/** A mistake on the command line; the message says the way out. */
export class UsageError extends Error {}

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

/** @throws UsageError that names the flag, and the nearest known one. */
export function readOptions(args: readonly string[]): CliOptions {
  const { values } = parse(args);
  if (values.clock !== undefined && values.clock !== 'system' && values.clock !== 'virtual') {
    throw new UsageError(`--clock is system or virtual, not "${values.clock}".`);
  }
  return {
    port: integer('--port', values.port, 4010, 65_535),
    host: text('--host', values.host) ?? '127.0.0.1',
    seed: integer('--seed', values.seed, 20, 10_000_000),
    keys: Object.fromEntries((values.key ?? []).map(keyAndPlan)),
    latency: integer('--latency', values.latency, 0, 600_000),
    clock: values.clock ?? 'system',
    state: text('--state', values.state),
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parse(args: readonly string[]) {
  for (const arg of args) {
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name !== undefined && !Object.hasOwn(flags, name)) throw new UsageError(`There is no --${name}. Did you mean --${nearest(name)}?`);
  }
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false });
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('. ');
    throw new UsageError(`${reason}.`);
  }
}

function integer(flag: string, value: string | undefined, fallback: number, most: number): number {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > most) throw new UsageError(`${flag} takes a whole number from 0 to ${most}, not "${value}".`);
  return number;
}

function text(flag: string, value: string | undefined): string | undefined {
  if (value === '') throw new UsageError(`${flag} needs a value.`);
  return value;
}

function keyAndPlan(value: string): [string, { plan: PlanName | Quota }] {
  const [, key, plan] = /^([^\s=]+)=(.+)$/.exec(value) ?? [];
  const [, perMinute, perDay] = /^(\d+)\/(\d+)$/.exec(plan ?? '') ?? [];
  if (key !== undefined && plan !== undefined && Object.hasOwn(plans, plan)) return [key, { plan: plan as PlanName }];
  if (key !== undefined && Number(perMinute) > 0 && Number(perDay) > 0) {
    return [key, { plan: { perMinute: Number(perMinute), perDay: Number(perDay) } }];
  }
  throw new UsageError(
    `--key takes KEY=PLAN, not "${value}". PLAN is ${Object.keys(plans).join(', ')}, or requests a minute and a day: --key my-key=10/500.`,
  );
}

/** The known flag that takes the fewest changed letters. */
function nearest(name: string): string {
  const byDistance = Object.keys(flags).map((flag) => ({ flag, distance: editDistance(name, flag) }));
  return byDistance.reduce((best, next) => (next.distance < best.distance ? next : best)).flag;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_none, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
