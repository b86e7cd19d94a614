import { inspect } from 'node:util';
import { attempt } from '../../mocks/utils/options.js';

/** Every string that can be reached from a value: fields of any kind, names of fields, prototypes' getters, causes, collections, and what the usual ways of printing it show. */
export function reachableStrings(root: unknown): Set<string> {
  const found = new Set<string>();
  const seen = new Set<object>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') found.add(value);
    if (typeof value === 'symbol') found.add(String(value));
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      found.add(String(key));
      const descriptor = Object.getOwnPropertyDescriptor(value, key)!;
      if ('value' in descriptor) walk(descriptor.value);
      else walk(attempt(() => Reflect.get(value, key) as unknown));
    }
    if (value instanceof Map || value instanceof Headers)
      for (const pair of value) pair.forEach(walk);
    if (value instanceof Set) value.forEach(walk);
    for (
      let type = Object.getPrototypeOf(value) as object | null;
      type !== null && !isBuiltIn(type);
      type = Object.getPrototypeOf(type) as object
    ) {
      for (const key of Reflect.ownKeys(type))
        walk(attempt(() => Reflect.get(type, key, value) as unknown));
    }
  };
  walk(root);
  for (const shown of [
    () => inspect(root, { depth: Infinity, showHidden: true, getters: true }),
    () => inspect(root, { depth: Infinity, showHidden: true, customInspect: false }),
    () => JSON.stringify(root),
    () => String(root),
    () => (root as Error).stack,
    () => (root as { toCurl?: () => string }).toCurl?.(),
    () => JSON.stringify(attempt(() => structuredClone(root))),
  ]) {
    walk(attempt(shown));
  }
  return found;
}

/** Or a function. */
const isObject = (value: unknown): value is object => Object(value) === value;

function isBuiltIn(prototype: object): boolean {
  const { constructor } = prototype as { constructor?: unknown };
  return (
    typeof constructor === 'function' &&
    /\[native code\]/.test(Function.prototype.toString.call(constructor))
  );
}
