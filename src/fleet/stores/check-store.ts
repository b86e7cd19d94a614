import type { FleetReply, SyncOperation, SyncReply } from '../rules/operations.js';
import type { FleetStore } from '../types.js';

/** A report of a member that holds nothing and wants one permit. */
function report(
  member: string,
  sequence: number,
  more: Partial<SyncOperation> = {},
): SyncOperation {
  return {
    kind: 'sync',
    member,
    sequence,
    generation: '',
    newGeneration: `generation-of-${member}`,
    acknowledged: 0,
    acknowledgedAgo: 1e12,
    aloneFor: 0,
    unsent: 0,
    inFlight: 0,
    need: 1,
    high: 0,
    rate: 0,
    lastLease: 0,
    repeats: 0,
    rtt: 0,
    successes: 0,
    total: 0,
    times: [],
    lost: 0,
    probeDone: false,
    ...more,
  };
}

type Check = (
  sync: (operation: SyncOperation) => Promise<SyncReply>,
  store: FleetStore,
  key: string,
) => Promise<boolean>;

/** What a store must do, and how it is seen. Each check has a key of its own. */
const checks: Readonly<Record<string, Check>> = {
  'the first member of a new key gets one permit, as the probe': async (sync) => {
    const reply = await sync(report('one', 1));
    return reply.decision === 'probe' && reply.granted === 1;
  },
  'what one operation wrote, the next one reads': async (sync) => {
    const first = await sync(report('one', 1));
    const second = await sync(report('two', 1));
    return second.decision === 'probing' && second.generation === first.generation;
  },
  'operations that arrive together are applied one after the other': async (sync) => {
    const members = Array.from({ length: 40 }, (_, index) => `member-${index}`);
    const replies = await Promise.all(members.map((member) => sync(report(member, 1))));
    return replies.filter((reply) => reply.granted === 1).length === 1;
  },
  'an operation that arrives twice is applied once': async (sync) => {
    await sync(report('one', 1));
    return (await sync(report('one', 1))).stale;
  },
  'two keys have two states': async (sync, store, key) => {
    await sync(report('one', 1));
    const other = (await store.run(`${key}-other`, report('two', 1))) as SyncReply;
    return other.decision === 'probe' && other.members === 1;
  },
  'numbers, texts and lists come back as they were': async (sync) => {
    await sync(report('one', 1));
    const now = Math.floor(Date.now() / 1_000);
    const reply = await sync(
      report('one', 2, {
        probeDone: true,
        successes: 1,
        total: 1,
        rtt: 80.25,
        rate: 0.0123,
        times: [[now, 1]],
        observation: { limit: 300, remaining: 299, reset: Date.now() + 60_000, sentAt: 0 },
        clock: { low: -0.5, high: 999.5 },
      }),
    );
    return reply.decision === 'grant' && reply.limit === 300 && reply.prompt;
  },
  'peek changes nothing': async (sync, store, key) => {
    await store.run(key, { kind: 'peek' });
    const reply = await sync(report('one', 1));
    return reply.decision === 'probe' && reply.generation === 'generation-of-one';
  },
  'a member that leaves gives its permits back': async (sync, store, key) => {
    await sync(report('one', 1));
    await store.run(key, { kind: 'leave', member: 'one', sequence: 2 });
    const left = await store.run(key, { kind: 'peek' });
    return left.kind === 'peek' && left.members === 0 && left.unsent === 0;
  },
  'the clock of the store goes forward, and is in ms': async (sync) => {
    const first = await sync(report('one', 1));
    await new Promise((resolve) => setTimeout(resolve, 40));
    const passed = (await sync(report('one', 2))).now - first.now;
    return passed >= 30 && passed < 5_000;
  },
};

/**
 * Tests a {@link FleetStore}: one of your own, or a database that is to serve as one. Takes less than a second, and uses
 * about ten keys that begin with `check:`.
 *
 * @returns what the store does not do, one sentence each; an empty list when all is well.
 *
 * @example
 * ```ts
 * import { checkFleetStore, memoryStore } from 'petstore-client/fleet';
 *
 * console.log((await checkFleetStore(memoryStore())).length); // 0
 * ```
 */
export async function checkFleetStore(store: FleetStore): Promise<readonly string[]> {
  const problems: string[] = [];
  const run = crypto.randomUUID();
  for (const [name, check] of Object.entries(checks)) {
    const key = `{check:${run}:${Object.keys(checks).indexOf(name)}}:gate`;
    const sync = async (operation: SyncOperation) => asSync(await store.run(key, operation));
    try {
      if (!(await check(sync, store, key))) problems.push(`it does not hold that ${name}`);
    } catch (failure) {
      problems.push(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`);
    }
  }
  return problems;
}

function asSync(reply: FleetReply): SyncReply {
  if ((reply as Partial<FleetReply> | undefined)?.kind !== 'sync')
    throw new TypeError('run must resolve with the reply of the operation');
  return reply as SyncReply;
}
