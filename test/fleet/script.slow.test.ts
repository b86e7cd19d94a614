import { beforeAll, describe, expect, test } from 'vitest';
import { script, sha1 } from '../../src/fleet/script/script.generated.js';
import { hasRedis, redisClient, startRedis } from '../support/redis-server.js';
import { walk } from './random-operations.js';
import { fuzzRuns } from '../support/fuzz.js';

const operations = fuzzRuns(5_000);
const each = 200;

/** Reads a state as the script sees it. An empty table of Lua may be a list or a map. */
const readState = `
local packed = redis.call('GET', KEYS[1])
if not packed then return '' end
local state = cmsgpack.unpack(packed)
local log = {}
for second, count in pairs(state.log) do log[string.format('%d', second)] = count end
state.log = log
return cjson.encode(state)`;

/** What differs, as paths. Lua's JSON writes 14 digits, and an empty list like an empty map. */
function differences(actual: unknown, expected: unknown, path = ''): string[] {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const tolerance = Math.max(1e-6, Math.abs(expected) * 1e-12);
    return Math.abs(actual - expected) <= tolerance ? [] : [`${path}: ${actual}, not ${expected}`];
  }
  const [one, other] = [entries(actual), entries(expected)];
  if (one === undefined || other === undefined)
    return actual === expected ? [] : [`${path}: ${String(actual)}, not ${String(expected)}`];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    differences(one.get(name), other.get(name), `${path}.${name}`),
  );
}

const entries = (value: unknown): Map<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;

describe.skipIf(!hasRedis)('the script on a real server', () => {
  let redis: Awaited<ReturnType<typeof redisClient>>;
  beforeAll(async () => {
    redis = await redisClient(await startRedis());
  });

  test('the script and the function give equal replies and equal states for random operations', async () => {
    expect(await redis.scriptLoad(script)).toBe(sha1);
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= operations / each; seed += 1) {
      const key = `{fuzz:${seed}}:gate`;
      for (const [step, { operation, now, reply, text }] of [...walk(seed, each)].entries()) {
        const said = await redis.evalSha(sha1, {
          keys: [key],
          arguments: [JSON.stringify(operation), String(now)],
        });
        const at = `seed ${seed}, step ${step}: ${JSON.stringify(operation)}`;
        expect(differences(JSON.parse(said as string), reply), at).toEqual([]);
        seen.set(reply.decision, (seen.get(reply.decision) ?? 0) + 1);
        if (step % 10 > 0) continue;
        const kept = (await redis.eval(readState, { keys: [key] })) as string;
        expect(differences(JSON.parse(kept), JSON.parse(text)), at).toEqual([]);
      }
    }
    // Each kind of decision was compared.
    expect([...seen.keys()].toSorted().join()).toBe(
      'careful,exhausted,grant,hold,idle,out,probe,probing,report,rolls,stale,unknown',
    );
  }, 600_000);
});
