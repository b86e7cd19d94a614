import type { FleetStore, RedisStore } from '../../src/fleet/index.js';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';
import { runOperation } from '../../src/fleet/stores/run-operation.js';

/** A store that shows each operation on its way to another one, and the reply on its way back. */
export function tap(
  inner: FleetStore | RedisStore,
  pass: (
    operation: FleetOperation,
    run: () => Promise<FleetReply>,
    key: string,
  ) => Promise<FleetReply>,
): RedisStore & Pick<FleetStore, 'close'> {
  return {
    async run(key, text) {
      const operation = JSON.parse(text) as FleetOperation;
      return JSON.stringify(await pass(operation, () => runOperation(inner, key, operation), key));
    },
    ...('close' in inner && { close: () => inner.close!() }),
  };
}
