import { ConfigurationError } from '../../errors/errors.js';
import { script, sha1 } from '../script/script.generated.js';
import type { FleetStore, ScriptStore } from '../types.js';

/**
 * A store in Redis (6.0 or newer), Valkey, or a service with their commands, with any Redis client. The state of an API key
 * is one value that expires after 25 hours without use. One Lua script reads and changes it. The name of the value has a hash
 * tag, which decides the slot in a Redis Cluster.
 *
 * Give the client a listener for `error`: without one, `redis` ends the process when the connection is lost. Disable its offline
 * queue, so that a command fails at once while the server is unreachable, instead of after `storeTimeout`. `close()` of the gate does not close the client.
 *
 * @param send Sends one command, its name first, and resolves with the reply. `args[3]` is the name of the value.
 * @throws ConfigurationError when `send` is not a function.
 *
 * @example
 * ```ts
 * import { createFleetGate, redisStore } from 'petstore-client/fleet';
 *
 * // redis 5 and 6: const client = createClient({ url, disableOfflineQueue: true });
 * //   client.on('error', () => undefined); await client.connect();
 * //   redisStore((args) => client.sendCommand(args))
 * // ioredis and iovalkey: const client = new Redis(url, { enableOfflineQueue: false, lazyConnect: true });
 * //   client.on('error', () => undefined); await client.connect();
 * //   redisStore(([command, ...args]) => client.call(command, ...args))
 * const client = { sendCommand: (args: string[]): Promise<unknown> => Promise.reject(new Error(`no server for ${args[0]}`)) };
 * const gate = createFleetGate({ store: redisStore((args) => client.sendCommand(args)) });
 * ```
 */
export function redisStore(send: (args: string[]) => Promise<unknown>): FleetStore {
  if (typeof send !== 'function')
    throw new ConfigurationError(
      'redisStore needs a function that sends a command: (args) => client.sendCommand(args)',
    );
  const store: ScriptStore = {
    update: () =>
      Promise.reject(
        new ConfigurationError(
          'a store of redisStore has no update: only createFleetGate can use it',
        ),
      ),
    async applyOperation(key, operation, testTime) {
      const args = ['1', key, operation, ...(testTime === undefined ? [] : [String(testTime)])];
      try {
        return await send(['EVALSHA', sha1, ...args]);
      } catch (failure) {
        // Only NOSCRIPT means that nothing ran. After any other failure, the script may have run.
        if (!String(failure).includes('NOSCRIPT')) throw failure;
        return send(['EVAL', script, ...args]);
      }
    },
  };
  return store;
}
