import { applyOperation } from '../rules/apply.js';
import type { FleetOperation, FleetReply } from '../rules/operations.js';
import type { FleetState } from '../rules/state.js';
import type { FleetStore, ScriptStore } from '../types.js';

/**
 * Applies an operation to the state of a key: in the store, where it has the script, otherwise here, between its reading and its writing.
 * `testTime`: of a clock that is not the system's, and passes while the store's stands still. It takes the place of the store's time.
 */
export async function runOperation(
  store: FleetStore,
  key: string,
  operation: FleetOperation,
  testTime?: number,
): Promise<FleetReply> {
  let reply: unknown;
  const hasScript = 'applyOperation' in store;
  if (hasScript)
    reply = await (store as ScriptStore).applyOperation(key, JSON.stringify(operation), testTime);
  else
    await store.update(key, (text, time) => {
      // Some databases return the time as a text or a bigint.
      const passed = Number(time as unknown);
      const now = testTime ?? passed;
      if (!(passed > 0 && now > 0))
        throw new TypeError('update must pass the time to change, in ms since 1970');
      const known = text === undefined ? undefined : (JSON.parse(text) as FleetState);
      const applied = applyOperation(known, operation, now);
      reply = applied.reply;
      return JSON.stringify(applied.state);
    });
  // Some Redis clients parse JSON on their own.
  const value = (typeof reply === 'string' ? JSON.parse(reply) : reply) as FleetReply | undefined;
  if (value?.decision !== undefined) return value;
  throw new TypeError(
    hasScript
      ? 'the function of redisStore must return the reply of the command'
      : 'update of the store must call change, and resolve when its text is written',
  );
}
