// @ts-nocheck
import { globalSymbol } from '../contract/handshake.js';

/** Used where `globalThis` takes no new property (`Object.preventExtensions(globalThis)`): then each copy of the package has its own values. */
const ownSlots: Record<symbol, unknown> = {};

/**
 * A value that the whole process shares, including the two builds and several copies of the package. It is created on first
 * use, one value for each name.
 */
export function singleton<T>(name: string, make: () => T): T {
  const key = globalSymbol(name);
  const isExtensible = Object.hasOwn(globalThis, key) || Object.isExtensible(globalThis);
  const slots = (isExtensible ? globalThis : ownSlots) as Record<symbol, T | undefined>;
  return (slots[key] ??= make());
}
