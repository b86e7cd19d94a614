import { expect, test, vi } from 'vitest';
import { PetStoreClient, type ServerError } from '../../src/index.js';
import { errorResponse, failureOf, json, list, stubClient, stubFetch } from '../support/stub.js';
import { rejection, times } from '../support/world.js';

const withheld = '[text withheld: it contains the API key]';

/** What the error shows of a body in which `key` is repeated. */
async function shownBy(apiKey: string, text: string): Promise<unknown> {
  return (await failureOf(new Response(text, { status: 400 }), list, { apiKey })).body;
}

const key = 'sk_live_0123456789';
const digits = '421908261219883104000';
const slashed = 'ab>?~cd>?~ef>?~gh';
const base64 = btoa(`Bearer ${slashed}`);

test.each<[key: string, text: string, shown: unknown]>([
  // A body that breaks off within the key. The words that a key begins with may be in any text.
  [key, `{"message":"wrong key ${key.slice(0, 17)}`, withheld],
  [key, `wrong key ${key.slice(0, 9)}`, withheld],
  [key, 'wrong key sk_live', 'wrong key sk_live'],
  // The beginning of a key that ends a few characters after an encoded one.
  ['AAAAA[AAAAA,]AA>A', 'AAAAA%5BAAAA', withheld],
  // A key of digits that was cut, or rounded, or both: neither the key nor the rounded key begins like the last.
  ...[digits.slice(0, 18), digits.slice(0, 12), `-${digits.slice(0, 17)}`, digits.slice(0, 8)].map(
    (cut): [string, string, unknown] => [digits, cut, withheld],
  ),
  [digits, '{"key":421908261219883100}', { key: withheld }],
  ['421969314677743933437', '{"key":42196931467774393.0}', { key: withheld }],
  [digits, '{"key":4219.08261219,"other":421.9082}', { key: withheld, other: 421.9082 }],
  // A number that only shares a few digits with a key stays a number.
  [digits, '{"pet":4219082,"other":1234567890}', { pet: 4219082, other: 1234567890 }],
  // A key that looks escaped.
  ...['p%20q', 'a%41', '&lt;x'].map((short): [string, string, unknown] => [
    short,
    `{"message":"key ${short}"}`,
    { message: withheld },
  ]),
  // In base64 that is escaped once more.
  [slashed, `<p>${encodeURIComponent(base64)}`, withheld],
  [slashed, `<p>${base64.replaceAll('/', '\\/')}`, withheld],
  // A key of fewer than 8 characters counts as a whole word only.
  ...['a', 'fetch', 'key#1', 'failed?', 'abcdefgh'].map((short): [string, string, unknown] => [
    short,
    `fetch failed: key "${short}"/${short}`,
    withheld,
  ]),
  ['a', 'banana', 'banana'],
  ...[
    ['sk_live_4f1a9c', 'keys begin with sk_live_', 'wrong key sk_live_4***'],
    ['petstore-4f1a9c', 'the petstore is closed: petstore-api', 'petstore-4'],
    ['mock-free-1', 'use mock-free or mock-pro', 'no key mock-free-1 here'],
    ['correcthorsebattery', 'a correct horse', '"correcth"'],
    ['correct-horse-battery-staple', 'correct-horse-b', 'correct-horse-ba\u2026'],
    ['4f1a9c77aa', '4f1a9c7 7aa', '{4f1a9c77}'],
  ].flatMap(([apiKey = '', innocent = '', cut = '']): [string, string, unknown][] => [
    [apiKey, innocent, innocent],
    [apiKey, cut, withheld],
  ]),
])('with the key %s the body %s is shown as %j', async (apiKey, text, shown) => {
  expect(await shownBy(apiKey, text)).toEqual(shown);
});

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
let seed = 1;
const random = () => (seed = (seed * 48_271) % 0x7fff_ffff);
const mixed = (all: string) =>
  Array.from({ length: 2_000 }, () => all[random() % all.length]).join('');
/** Some of them look like the encodings of their own characters. */
const symbols = [
  ...['-', '.*+?^${}()|[]/-&<>%#=~!@,;:_', '%', '%25', '&amp;', '&#38;', '&'],
  ...['abc', 'a.b', 'abcdefg', 'a%25&', '0123456789-'],
  ...['abcXYZ789', '-_=+/', 'a.b'].map(mixed),
];

// If two ways of reading were tried at each symbol, this test would not end.
test.each(Object.keys(spellings))(
  'a text that repeats a key of 2,000 symbols is read in one way only, whole, cut and almost whole: %s',
  async (name) => {
    const spelled = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, spellings[name]!);
    for (const one of symbols) {
      const long = one.repeat(2_000).slice(0, 2_000);
      const text = `<p>${spelled(long)}`;
      for (const cut of [0, 1, 2, 7, 500, 1_900])
        expect(await shownBy(long, text.slice(0, text.length - cut))).toBe(withheld);
      for (const length of [1, 20, 150, 190]) {
        const page = `<p>${spelled(long.slice(0, length))}"</p>`;
        const shown = await shownBy(long.slice(0, length + 10), page);
        expect(shown).toBe(length === 1 ? page : withheld);
      }
    }
  },
);

test('keys that rotate are all taken out, also the one that holds another, and when the function fails', async () => {
  const keys = ['sk_rotating_key_one', 'sk_rotating_key_one_and_more', 'sk_rotating_key_three'];
  const said = { code: keys.join(' '), message: keys.join(), status: 503 };
  const left = [...keys];
  const apiKey = () => left.shift()!;
  const error = await failureOf<ServerError>(json(said, { status: 503 }), list, { apiKey });
  expect(left).toEqual([]);
  expect(error.code).toBe(withheld);
  for (const one of keys) expect(error.message + JSON.stringify(error)).not.toContain(one);
  const once = [key];
  const forgetful = () => once.shift() ?? Promise.reject(new Error(`cannot refresh ${key}`));
  const failed = await failureOf(json({}, { status: 503 }), list, { apiKey: forgetful });
  expect(failed.message).toContain('the function apiKey failed (Error); its message is not shown');
  expect(JSON.stringify(failed)).not.toContain(key);
});

test('300 keys in flight stay unseen', async () => {
  let asked = 0;
  const { promise: allAreInFlight, resolve } = Promise.withResolvers<undefined>();
  const fetch = stubFetch(async ({ headers }) => {
    if (fetch.sent.length === 300) resolve(undefined);
    await allAreInFlight;
    return errorResponse(401, {
      code: 'x',
      message: `no ${headers.get('authorization')}`,
      status: 401,
    });
  });
  const apiKey = () => `sk_live_in_flight_${++asked}_end`;
  const client = stubClient(fetch, { apiKey, gate: false });
  for (const error of await Promise.all(times(300, () => rejection<Error>(client.listPets())))) {
    expect(error.message).toContain(withheld);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('sk_live_in');
  }
});

test('a key is withheld where it stands in an option, also that of the environment', () => {
  const apiKey = 'sk-live-abcdef123456';
  const message = `an option is wrong: ${withheld}`;
  expect(() => new PetStoreClient({ apiKey, [apiKey]: 1 } as object)).toThrow(message);
  // A wrong value that is a short word is quoted, unless it is the key.
  for (const word of ['secret', 'secretword'])
    expect(() => new PetStoreClient({ apiKey: word, int64: word } as object)).toThrow(message);
  vi.stubEnv('PETSTORE_API_KEY', apiKey);
  expect(() => new PetStoreClient({ [apiKey]: 1 } as object)).toThrow(message);
});
