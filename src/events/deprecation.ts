import type { Deprecation } from '../contract/operations.js';
import { singleton } from '../utils/singleton.js';

type Warns = {
  process: { emitWarning: (message: string, options: { type: string; code: string }) => void };
};

/** Warns once in a process about a deprecated operation: as a `DeprecationWarning` if there is a `process`, otherwise on the console. */
export function warnDeprecated(name: string, { advice }: Deprecation): void {
  const warned = singleton('deprecated', () => new Set<string>());
  if (warned.has(name)) return;
  warned.add(name);
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  try {
    (globalThis as unknown as Warns).process.emitWarning(advice, {
      type: 'DeprecationWarning',
      code,
    });
  } catch {
    // There is no `process`, it cannot warn, or it throws for what it does not support, as in Next's edge runtime.
    console.warn(`[${code}] DeprecationWarning: ${advice}`);
  }
}
