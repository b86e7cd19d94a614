import { fromNode } from '../contract/environments.js';
import type { Deprecation } from '../contract/operations.js';
import { singleton } from '../utils/singleton.js';

/** `true` for the first notice of a name in the process. */
function isFirst(name: string): boolean {
  const shown = singleton('notices', () => new Set<string>());
  const { size } = shown;
  return shown.add(name).size > size;
}

/** Prints one line on the console, without its full stop, once in a process for each name. */
export function warnOnce(name: string, line: string): void {
  if (isFirst(name)) console.warn(`petstore-client: ${line}. It is shown once.`);
}

/** Warns once in a process about a deprecated operation: as a `DeprecationWarning` if there is a `process`, otherwise on the console. */
export function warnDeprecated(name: string, { advice }: Deprecation): void {
  if (!isFirst(name)) return;
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  const type = 'DeprecationWarning';
  const isShown = fromNode((process) => {
    process.emitWarning(advice, { type, code });
    return true;
  });
  if (!isShown) console.warn(`[${code}] ${type}: ${advice}`);
}
