import { fromNode } from '../../contract/environments.js';

/**
 * Raised with each change of the fields of the state, so that processes with another version have another state: they tell of
 * each other by the headers alone, as processes outside the fleet do.
 */
const version = 2;

/**
 * The name of the state of a key: the address and the key as one hash, in braces, so that a Redis Cluster keeps it in one slot.
 * At once where `node:crypto` can be had: virtual clocks do not wait for real work.
 */
export function stateKey(name: string, origin: string, apiKey: string): string | Promise<string> {
  const text = `${origin} ${apiKey}`;
  const nameWith = (hash: string) => `{${name}:${hash}}:gate.${version}`;
  const node = fromNode((process) => process.getBuiltinModule('node:crypto'));
  if (node !== undefined) return nameWith(node.createHash('sha256').update(text).digest('hex'));
  return crypto.subtle
    .digest('SHA-256', new TextEncoder().encode(text))
    .then((hash) =>
      nameWith(
        [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
      ),
    );
}
