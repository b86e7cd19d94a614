import type { FleetStore } from '../types.js';

type Update = FleetStore['update'];
type Check = (update: Update, key: string) => Promise<boolean>;

/** What a store must do, and how it is seen. Each check has a key of its own. */
const checks: Readonly<Record<string, Check>> = {
  'the first update of a key finds no text': async (update, key) =>
    (await read(update, key)).text === undefined,
  'an update finds the text of the one before': async (update, key) => {
    const long = `"'\\ é 💾 ${'x'.repeat(200_000)}`;
    await update(key, () => long);
    return (await read(update, key)).text === long;
  },
  'updates that come together happen one after the other': async (update, key) => {
    const add = (text = '0') => String(Number(text) + 1);
    await Promise.all(Array.from({ length: 40 }, () => update(key, add)));
    return (await read(update, key)).text === '40';
  },
  'two keys have two texts': async (update, key) => {
    await update(key, () => 'one');
    return (await read(update, `${key}-other`)).text === undefined;
  },
  'an update whose change throws rejects, and changes nothing': async (update, key) => {
    await update(key, () => 'before');
    const failed = await update(key, () => {
      throw new Error('thrown by change');
    }).then(
      () => false,
      () => true,
    );
    return failed && (await read(update, key)).text === 'before';
  },
  'the clock goes forward, in ms': async (update, key) => {
    const first = await read(update, key);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const passed = (await read(update, key)).now - first.now;
    return passed >= 30 && passed < 5_000;
  },
};

async function read(update: Update, key: string) {
  let seen = { text: undefined as string | undefined, now: NaN };
  await update(key, (text, now) => {
    seen = { text, now: Number(now as unknown) };
    return String(text);
  });
  return seen;
}

/**
 * Tests a {@link FleetStore} of your own. Takes less than a second, and uses some keys that begin with `{check:`. It runs in one process:
 * it does not notice if two processes overwrite each other's texts.
 *
 * @returns the problems of the store, one sentence each; an empty list if there are none.
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
  // Then the longest key is as long as one of a store may be.
  const run = crypto.randomUUID().padEnd(104, '-');
  for (const [at, [sentence, check]] of Object.entries(checks).entries()) {
    const holds = check((key, change) => store.update(key, change), `{check:${run}:${at}}`);
    const problem = await holds.then(
      (isSo) => (isSo ? undefined : ''),
      (failure: unknown) => ` (${String(failure)})`,
    );
    if (problem !== undefined) problems.push(`broken rule: ${sentence}${problem}`);
  }
  return problems;
}
