import type { Operation } from './contract/operations.js';
import { globalSlot } from './global-slot.js';

type Warns = { process?: { emitWarning?: (message: string, options: { type: string; code: string }) => void } };

/** Warns of a deprecated operation, once a process: as a `DeprecationWarning` where there is a `process`, else on the console. */
export function warnDeprecated({ name, deprecated }: Operation): void {
  const warned = globalSlot('deprecated', () => new Set<string>());
  const { process } = globalThis as Warns;
  if (deprecated === undefined || warned.has(name)) return;
  warned.add(name);
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  if (typeof process?.emitWarning === 'function') process.emitWarning(deprecated.advice, { type: 'DeprecationWarning', code });
  else console.warn(`[${code}] DeprecationWarning: ${deprecated.advice}`);
}
