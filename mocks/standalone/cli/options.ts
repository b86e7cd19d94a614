import { plans, type PlanName, type Quota } from '../../../src/contract/rate-limits.js';
import { isHostName } from '../../control/check-origin.js';
import { nearest } from '../../utils/options.js';
import { readFlags, UsageError, type OptionsOf } from './flags.js';
import * as row from './flags.js';

const choice =
  <Value extends string>(...known: readonly Value[]) =>
  (text: string): Value => {
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw new Error(known.join(' or '));
  };

/** The flags, in the order of the help. */
export const flags = {
  port: row.flag('N', 'port to listen on; 0 takes a free one', row.integer(0, 65_535), '4010'),
  host: row.flag('ADDRESS', 'address to listen on', String, '127.0.0.1'),
  'allow-host': row.list(
    'NAME',
    'another host for which /_mock answers; repeat for more',
    readHost,
  ),
  seed: row.flag(
    'N|FILE',
    'number of made-up pets at the start, or a JSON file of pets',
    (text) =>
      /^-?\d+$/.test(text) ? row.integer(0, 10_000_000, ', or a JSON file of pets')(text) : text,
    '20',
  ),
  key: row.list(
    'KEY=PLAN',
    `another key; repeat for more. PLAN is ${Object.keys(plans).join(', ')}, or requests a minute and a day: 10/500`,
    readKey,
  ),
  limits: row.flag('off', 'enforce no quotas', choice('on', 'off'), 'on'),
  fault: row.list('JSON', 'a fault from the start; repeat for more', String),
  assumptions: row.flag('FILE', 'what the interface leaves open, as JSON', String),
  latency: row.flag('TIME', 'time that each request takes: 2s, or 250 (ms)', row.span(0), '0'),
  clock: row.flag(
    'KIND',
    'system, or virtual: moved by /_mock/clock, delays',
    choice('system', 'virtual'),
    'system',
  ),
  state: row.flag('FILE', 'keep pets, keys and quotas in FILE across restarts', String),
  json: row.aSwitch('print one line of JSON instead of text'),
  help: row.aSwitch('print this text', 'h'),
  version: row.aSwitch('print the version', 'v'),
};

/** The parsed command line. */
export type CliOptions = OptionsOf<typeof flags>;

/** Reads the command line of the program. @throws UsageError that names the flag, and the nearest known one. */
export function readOptions(args: readonly string[]): CliOptions {
  const options = readFlags(args, flags);
  const [other] = options.others;
  if (other === undefined) return options;
  const meant = /^\d+$/.test(other)
    ? ` Did you mean --port ${other}?`
    : /^https?:/.test(other)
      ? ` Did you mean petstore-mock verify ${other}?`
      : nearest(other, ['verify'])
        ? ' Did you mean the command verify? It stands first: petstore-mock verify ADDRESS'
        : '';
  throw new UsageError(`"${other}" belongs to no option.${meant}`);
}

function readHost(text: string): string {
  if (isHostName(text)) return text;
  throw new Error('a host name or an address without a port, such as petstore-mock');
}

/** The last `=` separates key and plan: a key may contain one, a plan never does. */
function readKey(text: string): readonly [key: string, { readonly plan: PlanName | Quota }] {
  const [, key = '', plan = ''] = /^([\x21-\x7e]+)=(.+)$/.exec(text) ?? [];
  if (Object.hasOwn(plans, plan)) return [key, { plan: plan as PlanName }];
  const [, perMinute, perDay] = /^([1-9]\d{0,14})\/([1-9]\d{0,14})$/.exec(plan) ?? [];
  if (perMinute !== undefined)
    return [key, { plan: { perMinute: Number(perMinute), perDay: Number(perDay) } }];
  const names = Object.keys(plans);
  const near = plan === '' ? undefined : nearest(plan, names);
  throw new UsageError(
    `--key takes KEY=PLAN, not "${text}".${near === undefined ? '' : ` Did you mean ${key}=${near}?`} PLAN is ${names.join(', ')}, or requests a minute and a day: --key my-key=10/500.`,
  );
}
