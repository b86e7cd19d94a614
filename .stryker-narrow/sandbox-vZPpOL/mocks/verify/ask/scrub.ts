// @ts-nocheck
import { escapePattern } from '../../http/route.js';

/** What stands in place of an API key. */
export const scrubbed = '[API key]';

/**
 * Takes API keys out of texts as they are read, in the forms in which a service may send them back: as they are, in a URL,
 * in JSON, and in base64, in small or capital letters.
 */
export function createScrubber(keys: readonly string[]): (text: string) => string {
  const forms = new Set(keys.flatMap(formsOf).filter((form) => form.length >= 4));
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'gi');
  return (text) => text.replace(pattern, scrubbed);
}

const formsOf = (key: string) => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  ...base64Forms(key),
];

/** The key in base64 at each of the three places where it may begin in a longer text, without the letters its neighbours share. */
const base64Forms = (key: string) =>
  [0, 2, 3].flatMap((shared, before) => {
    const encoded = btoa('\0'.repeat(before) + key).replace(/=+$/, '');
    const inner = encoded.slice(shared, -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
