// @ts-nocheck
// What the script does with the rules: `npm run fleet:script` makes script.generated.ts of this file and of the rules.
import { applyOperation } from '../rules/apply.js';
import { keep } from '../rules/constants.js';
import type { FleetOperation, FleetReply } from '../rules/operations.js';
import type { FleetState } from '../rules/state.js';

/** What Redis and Valkey give a script. */
declare const KEYS: readonly [key: string];
declare const ARGV: readonly [operation: string, time?: string];
declare const redis: {
  call(this: void, command: 'TIME'): readonly [seconds: string, microseconds: string];
  call(this: void, command: 'GET', key: string): string | false;
  call(this: void, command: 'SET', key: string, value: string, px: 'PX', ms: number): void;
};
declare const cjson: {
  decode(this: void, text: string): FleetOperation;
  encode(this: void, reply: FleetReply): string;
};
declare const cmsgpack: {
  unpack(this: void, text: string): FleetState;
  pack(this: void, state: FleetState): string;
};
declare function tonumber(this: void, text: string): number;

/** KEYS[1]: the state of a key. ARGV[1]: the operation as JSON. ARGV[2]: the time in ms, in tests only. */
export function run(): string {
  const packed = redis.call('GET', KEYS[0]);
  const known = packed === false ? undefined : cmsgpack.unpack(packed);
  const applied = applyOperation(known, cjson.decode(ARGV[0]), now());
  redis.call('SET', KEYS[0], cmsgpack.pack(applied.state), 'PX', keep);
  return cjson.encode(applied.reply);
}

function now(): number {
  if (ARGV[1] !== undefined) return tonumber(ARGV[1]);
  const [seconds, microseconds] = redis.call('TIME');
  return tonumber(seconds) * 1_000 + Math.floor(tonumber(microseconds) / 1_000);
}
