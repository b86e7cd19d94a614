import type { Deprecation } from '../contract/operations.js';
import { singleton } from '../utils/singleton.js';

type Warns = {
  process: { emitWarning: (message: string, options: { type: string; code: string }) => void };
};

/** Warns of a deprecated operation, once a process: as a `DeprecationWarning` where there is a `process`, else on the console. */
export function warnDeprecated(name: string, { nextStep }: Deprecation): void {
  const warned = singleton('deprecated', () => new Set<string>());
  if (warned.has(name)) return;
  warned.add(name);
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  try {
    (globalThis as unknown as Warns).process.emitWarning(nextStep, {
      type: 'DeprecationWarning',
      code,
    });
  } catch {
    // No `process`, none that warns, or one that throws at what it does not support, as that of Next's edge runtime.
    console.warn(`[${code}] DeprecationWarning: ${nextStep}`);
  }
}
