import type { Operation } from './contract/operations.js';

const warnedSymbol = Symbol.for('petstore-client.deprecated');
const shared: {
  [warnedSymbol]?: Set<string>;
  process?: { emitWarning?: (message: string, options: { type: string; code: string }) => void };
} = globalThis;

/** Warns of a deprecated operation, once a process: as a `DeprecationWarning` where there is a `process`, else on the console. */
export function warnDeprecated({ name, deprecated }: Operation): void {
  const warned = (shared[warnedSymbol] ??= new Set());
  if (deprecated === undefined || warned.has(name)) return;
  warned.add(name);
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  if (typeof shared.process?.emitWarning === 'function')
    shared.process.emitWarning(deprecated.advice, { type: 'DeprecationWarning', code });
  else console.warn(`[${code}] DeprecationWarning: ${deprecated.advice}`);
}
