import { expect, test } from 'vitest';
import type { BadRequestError } from '../../src/index.js';
import { stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const withheld = '[text withheld: it contains the API key]';

/** What the error shows of a body in which `key` is repeated. */
async function shownBy(apiKey: string, text: string): Promise<unknown> {
  const fetch = stubFetch(new Response(text, { status: 400 }));
  const error = await rejection<BadRequestError>(stubClient(fetch, { apiKey }).listPets());
  return error.body;
}

const codeOf = (one: string) => one.charCodeAt(0);
const spellings: Record<string, (one: string) => string> = {
  'as it is': (one) => one,
  'as a URL': (one) => `%${codeOf(one).toString(16)}`,
  'as JSON': (one) => `\\u00${codeOf(one).toString(16)}`,
  'as JSON in JSON': (one) => `\\\\\\${one}`,
  'as decimal HTML': (one) => `&#${codeOf(one)};`,
  'as hexadecimal HTML': (one) => `&#x${codeOf(one).toString(16)};`,
  'as HTML': (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? one,
};

/** Two of them look like the encodings of their own characters. */
const symbols = ['-', '.*+?^${}()|[]/-&<>%#=~!@,;:_', '%25', '&amp;', '&#38;', '&'];

// If two ways of reading were tried at each symbol, this test would not end.
test.each(Object.keys(spellings))(
  'a text that repeats a key of 2,000 symbols is read in one way only, whole, cut and almost whole: %s',
  async (name) => {
    for (const one of symbols) {
      const key = one.repeat(2_000).slice(0, 2_000);
      const text = `<p>${key.replaceAll(/[^A-Za-z0-9]/g, spellings[name]!)}`;
      expect(await shownBy(key, text)).toBe(withheld);
      for (const cut of [1, 2, 7, 500, 1_900])
        expect(await shownBy(key, text.slice(0, -cut))).toBe(withheld);
      for (const length of [1, 20, 150, 190]) {
        const short = key.slice(0, length + 10);
        const almost = key.slice(0, length).replaceAll(/[^A-Za-z0-9]/g, spellings[name]!);
        const page = `<p>${almost}"</p>`;
        expect(await shownBy(short, page)).toBe(length === 1 ? page : withheld);
      }
    }
  },
);

test.each(['abc', 'a.b', 'abcdefg', 'a%25&', '0123456789-', '%', '&amp;', '%25'])(
  'nothing is left of a long key that repeats itself, in a text that has it whole or cut: %s',
  async (period) => {
    for (const length of [2_001, 4_200, 6_000, 30_000]) {
      const key = period.repeat(length).slice(0, length);
      const encoded = encodeURIComponent(key);
      for (const text of [key, encoded])
        expect(await shownBy(key, `key=${text} end ${text}`)).toBe(withheld);
      for (const text of [key.slice(0, -length / 3), encoded.slice(0, -length / 3)])
        expect(await shownBy(key, `key=${text}`)).toBe(withheld);
    }
  },
);
