import * as fc from 'fast-check';
import { reachableStrings } from './reachable.js';

/** Keys of every character that can be sent; long enough that they are in no text by chance. */
export const apiKey = fc
  .string({
    unit: fc.constantFrom(...[...'ABCxyz0189-._~+/=:;,!#$%&()*<>?@[]^{|}']),
    minLength: 16,
    maxLength: 40,
  })
  .filter((key) => !/^bearer\s/i.test(key));

/** The ways in which services and proxies spell a text that they repeat. */
export const spellings: ((key: string) => string)[] = [
  (key: string): string => key,
  encodeURIComponent,
  (key: string): string => new URLSearchParams({ key }).toString().slice(4),
  (key: string): string =>
    encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  (key: string): string => key.replaceAll('/', '\\/'),
  (key: string): string =>
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (key: string): string =>
    key.replaceAll(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  (key: string): string => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#${one.charCodeAt(0)};`),
  (key: string): string =>
    key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`),
  (key: string): string =>
    key.replaceAll(/[^]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  // Basic credentials, as services repeat them.
  (key: string): string => btoa(`Bearer ${key}`).replace(/=+$/, ''),
  (key: string): string => btoa(key).replace(/=+$/, ''),
  (key: string): string =>
    btoa(`a:${key}`).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'),
];

/** All of them for one key. */
const forms = (key: string): Set<string> => new Set(spellings.map((spell) => spell(key)));

/** The strings reachable from `values` that hold the key in any form. */
export const leaks = (values: unknown[], key: string): string[] => {
  const texts = new Set(values.flatMap((value) => [...reachableStrings(value)]));
  return [...texts].filter((text) => [...forms(key)].some((form) => text.includes(form)));
};
