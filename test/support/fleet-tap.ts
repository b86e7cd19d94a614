import type { FleetStore, ScriptStore } from '../../src/fleet/types.js';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';
import { runOperation } from '../../src/fleet/stores/run-operation.js';

/** A store that shows each operation on its way to another one, and the reply on its way back. */
export function tap(
  inner: FleetStore,
  pass: (
    operation: FleetOperation,
    run: () => Promise<FleetReply>,
    key: string,
  ) => Promise<FleetReply>,
): ScriptStore {
  return {
    ...inner,
    async applyOperation(key, text) {
      const operation = JSON.parse(text) as FleetOperation;
      return JSON.stringify(await pass(operation, () => runOperation(inner, key, operation), key));
    },
  };
}
