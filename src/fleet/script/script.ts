import { constants, perDayOf } from '../rules/constants.js';
import { allotScript } from './allot.js';
import { applyScript } from './apply.js';
import { learnScript } from './learn.js';
import { membersScript } from './members.js';

/** `leaseForNeed` as `LEASE_FOR_NEED`. */
const screaming = (name: string) => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

const declarations = Object.entries(constants)
  .map(([name, value]) => `local ${screaming(name)} = ${value}`)
  .join('\n');
const days = Object.entries(perDayOf)
  .map(([perMinute, perDay]) => `[${perMinute}] = ${perDay}`)
  .join(', ');

/**
 * The rules for Redis and Valkey, as one Lua script: the same as `applyOperation`, with the constants of the rules.
 * KEYS[1]: the state of a key. ARGV[1]: the operation as JSON. ARGV[2]: the time in ms, in tests only.
 */
export const script: string = `${declarations}
local PER_DAY = { ${days} }
${membersScript}${learnScript}${allotScript}${applyScript}`;
