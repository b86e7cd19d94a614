import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  PetStoreClient,
  PetStoreError,
  resetRateLimitGates,
  type PetStoreClientOptions,
  type PetStoreEvent,
} from '../../src/index.js';
import { reachableStrings } from '../support/reachable.js';
import { json, pet, quickClock, stubFetch } from '../support/stub.js';

/** Keys of every kind: of all characters that can be sent, and of digits alone. */
const apiKey = fc.oneof(
  fc
    .string({
      unit: fc.constantFrom(...[...'ABCxyz0189-._~+/=:;,!#$%&()*<>?@[]^{|}']),
      minLength: 16,
      maxLength: 60,
    })
    .filter((key) => !/^bearer\s/i.test(key)),
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).map(String),
);

/** The ways in which services and proxies spell a text that they repeat. */
const spellings: ((key: string) => string)[] = [
  (key) => key,
  encodeURIComponent,
  (key) => encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  (key) => key.replaceAll('/', '\\/'),
  (key) => key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (key) => key.replaceAll(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  (key) => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`),
];

type Call = (client: PetStoreClient, key: string) => Promise<unknown>;
/** Where a text with the key comes from: a response, a failure of fetch, or the caller's own arguments. */
interface Place {
  readonly options?: (text: string, key: string) => PetStoreClientOptions<'number'>;
  readonly respond?: (text: string) => Response;
  readonly call?: Call;
  /** True where the text may also end within the key: nothing stands behind it. */
  readonly mayEnd?: boolean;
}

const list: Call = (client) => client.listPets();
const numberOf = (text: string) => (/^[1-9]\d*$/.test(text) ? text : '1');

/** Texts of the service and the runtime. */
const texts: Record<string, Place> = {
  'a body of text': {
    mayEnd: true,
    respond: (text) => new Response(text, { status: 500 }),
  },
  'a body of JSON': {
    mayEnd: true,
    respond: (text) => json({ code: text, message: text, status: 404 }, { status: 404 }),
  },
  'a number of a body of JSON': {
    respond: (text) =>
      json(`{"code":"c","message":"m","status":404,"k":[${numberOf(text)},-${numberOf(text)}]}`, {
        status: 404,
      }),
  },
  'a body that is not what the contract says': {
    respond: (text) => json({ id: text, name: 1, categoryId: 1, [text]: text }),
    options: () => ({ validation: 'strict' }),
    call: (client) => client.getPet(1),
  },
  'an id of digits': {
    respond: (text) => json(`{"id":${numberOf(text)},"name":"x","categoryId":${numberOf(text)}.5}`),
    call: (client) => client.getPet(1),
  },
  'an unknown field and status': { respond: (text) => json([pet({ [text]: 1, status: text })]) },
  'headers of a response': {
    mayEnd: true,
    respond: (text) =>
      json({}, { status: 401, headers: { 'X-Request-Id': text, Location: `/?k=${text}` } }),
  },
  'a failure of fetch': {
    mayEnd: true,
    respond: (text) => {
      throw Object.assign(new TypeError(text, { cause: new Error(text) }), { code: text });
    },
  },
  'issues of a schema': {
    respond: () => json({}),
    options: () => ({}),
    call: (client, key) =>
      client.request({
        method: 'GET',
        path: '/x',
        schema: {
          '~standard': {
            version: 1,
            vendor: 'test',
            validate: () => ({ issues: [{ message: key, path: [key] }] }),
          },
        },
      }),
  },
};

/** Texts of the caller, in which the key stands whole. */
const mistakes: Record<string, Place> = {
  'the name of an option': {
    options: (text) => ({ [text]: 1 }) as PetStoreClientOptions<'number'>,
  },
  'the name of a header': { options: (text) => ({ headers: { [`${text} `]: 'x' } }) },
  'a header whose value cannot be sent': {
    options: (_text, key) => ({ headers: { [key.replaceAll(/[^\w]/g, '-')]: '\u0000' } }),
  },
  'the name of an option of a call': {
    call: (client, key) => client.listPets({}, { [key]: 1 } as never),
  },
  'a query parameter': { call: (client, key) => client.listPets({ [key]: key } as never) },
  'an argument': { call: (client, key) => client.getPet(Number(numberOf(key))) },
  'a base address': {
    options: (text) => ({ baseUrl: `https://pets.test/${encodeURIComponent(text)}` }),
  },
};

/** All strings that can be reached from what one call shows. */
async function shownStrings(
  { options, respond = () => json([]), call = list }: Place,
  text: string,
  key: string,
): Promise<string[]> {
  resetRateLimitGates();
  const shown: unknown[] = [];
  const onEvent = (event: PetStoreEvent) => shown.push(event);
  try {
    const client = new PetStoreClient({
      baseUrl: 'https://pets.test',
      apiKey: key,
      fetch: stubFetch(() => respond(text)),
      clock: quickClock(),
      maxRetries: 0,
      onEvent,
      ...options?.(text, key),
    });
    await call(client, text);
  } catch (error) {
    expect(error).toBeInstanceOf(PetStoreError);
    shown.push(error);
  }
  return shown.flatMap((value) => [...reachableStrings(value)]);
}

/** The strings that show more of a key than its first characters. A base address is the caller's own, and is left out. */
const leaks = (strings: string[], key: string, length: number) => {
  const forms = new Set(spellings.map((spell) => spell(key.slice(0, length))));
  return strings.filter((one) => [...forms].some((form) => one.includes(form)));
};

test.each(Object.keys(texts))(
  'no beginning of a key of 10 characters or more is shown, wherever a text is cut, by: %s',
  async (place) => {
    await fc.assert(
      fc.asyncProperty(
        apiKey,
        fc.constantFrom(...spellings),
        fc.constantFrom(0, 20, 90, 180, 480, 980),
        fc.nat(40),
        fc.nat(60),
        async (key, spell, padding, more, cut) => {
          const spelled = spell(key);
          const text = 'x'.repeat(padding === 0 ? 0 : padding + more) + spelled;
          const cutText = text.slice(0, Math.max(1, text.length - cut));
          for (const given of texts[place]!.mayEnd
            ? [text, text + text, cutText]
            : [text, text + text])
            expect(leaks(await shownStrings(texts[place]!, given, key), key, 10)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  },
);

test('a beginning of a key that ends a few characters after an encoded one is not shown', async () => {
  const key = 'AAAAA[AAAAA,]AA>A';
  const shown = await shownStrings(texts['a body of text']!, 'AAAAA%5BAAAA', key);
  expect(leaks(shown, key, 8)).toEqual([]);
});

test.each(Object.keys(mistakes))(
  'no key is shown where the caller puts it into: %s',
  async (place) => {
    await fc.assert(
      fc.asyncProperty(apiKey, async (key) => {
        for (const text of [key, `x${key}`, `${'x'.repeat(35)}${key}`])
          expect(leaks(await shownStrings(mistakes[place]!, text, key), key, 10)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  },
);

test('neither the name nor the code of what a key function throws shows a key that nobody knows yet', async () => {
  await fc.assert(
    fc.asyncProperty(apiKey, async (key) => {
      const apiKeys = [
        Object.assign(new Error('x'), { name: key }),
        Object.assign(new Error('x'), { code: key }),
        Object.assign(new Error('x'), { name: `${key}Error`, code: `E_${key}` }),
      ];
      for (const error of apiKeys) {
        const options = () => ({ apiKey: () => Promise.reject(error) });
        const strings = await shownStrings({ options }, key, key);
        expect(leaks(strings, key, 10)).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
  const known = Object.assign(new SyntaxError('x'), { code: 'ENOENT' });
  const strings = await shownStrings(
    { options: () => ({ apiKey: () => Promise.reject(known) }) },
    'x',
    'k',
  );
  expect(strings.join()).toContain('the function apiKey failed (SyntaxError ENOENT)');
});

test('a key of digits that the service has cut is not shown as a rounded number', async () => {
  const key = '421908261219883104000';
  for (const cut of [key.slice(0, 18), key.slice(0, 12), `-${key.slice(0, 17)}`, key.slice(0, 8)]) {
    const client = new PetStoreClient({
      baseUrl: 'https://pets.test',
      apiKey: key,
      fetch: stubFetch(() => new Response(cut, { status: 400 })),
    });
    const error = await client.listPets().catch((failure: unknown) => failure);
    expect(String((error as { body: unknown }).body)).not.toContain(key.slice(0, 8));
  }
});

test('a number that only shares a few digits with a key stays a number', async () => {
  const client = new PetStoreClient({
    baseUrl: 'https://pets.test',
    apiKey: '421908261219883104000',
    fetch: stubFetch(() => Response.json({ pet: 4219082, other: 1234567890 }, { status: 400 })),
  });
  const error = await client.listPets().catch((failure: unknown) => failure);
  expect((error as { body: unknown }).body).toEqual({ pet: 4219082, other: 1234567890 });
});

test('a key of fewer than 8 characters counts as a whole word only', async () => {
  const shownBy = async (apiKey: string) => {
    const client = new PetStoreClient({
      baseUrl: 'https://pets.test',
      apiKey,
      fetch: stubFetch(() =>
        Promise.reject(new TypeError(`fetch failed: key "${apiKey}"/${apiKey}`)),
      ),
      maxRetries: 0,
    });
    return ((await client.listPets().catch((failure: unknown) => failure)) as Error).message;
  };
  for (const key of ['a', 'fetch', 'key#1', 'failed?', 'abcdefgh'])
    expect(await shownBy(key)).toContain('([text withheld: it contains the API key])');
});

test('a key of many thousand characters is withheld, and so is a large part of it', async () => {
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 0x7fff_ffff);
  for (const characters of ['abcXYZ789', '-_=+/', 'a.b']) {
    const key = Array.from({ length: 20_000 }, () => characters[random() % characters.length]);
    const apiKey = key.join('');
    const shownBy = async (text: string) => {
      const body = () => new Response(text, { status: 400 });
      const options = { baseUrl: 'https://pets.test', apiKey, fetch: stubFetch(body) };
      const failure: unknown = await new PetStoreClient(options)
        .listPets()
        .catch((e: unknown) => e);
      return (failure as { body: unknown }).body;
    };
    const withheld = '[text withheld: it contains the API key]';
    expect(await shownBy(`no key ${apiKey} here`)).toBe(withheld);
    expect(await shownBy(`no key ${apiKey.slice(0, 9_876)}`)).toBe(withheld);
  }
});

test('the stack of the copied cause of an error is its name and message', async () => {
  const client = new PetStoreClient({
    apiKey: 'mock-free',
    fetch: () => Promise.reject(new TypeError('the cable is cut')),
  });
  const error: unknown = await client
    .createPet({ name: 'Rex', categoryId: 1 })
    .catch((failure: unknown) => failure);
  expect((error as PetStoreError).cause).toMatchObject({
    name: 'TypeError',
    message: 'the cable is cut',
    stack: 'TypeError: the cable is cut',
  });
});

/** What services and proxies put behind a key that they have cut. */
const tails = [
  '\u2026',
  '...',
  '"',
  '\\"',
  "'",
  '<',
  '&lt;',
  ' ',
  '\n',
  '\t',
  '***',
  '%20',
  '=',
  'x',
  '0',
  ' and more',
];

test.each(Object.keys(texts).filter((place) => texts[place]!.mayEnd))(
  'no beginning of a key of 8 characters or more is shown, with any text before and behind it, by: %s',
  async (place) => {
    await fc.assert(
      fc.asyncProperty(
        // The words that a key begins with may be shown: see the test below.
        apiKey.filter((key) => !/^[a-z]*[._-]/i.test(key)),
        fc.constantFrom(...spellings, (one: string) => btoa(one).replaceAll('=', '')),
        fc.integer({ min: 8, max: 60 }),
        fc.constantFrom('', 'k=', 'key "', '<b>'),
        fc.constantFrom(...tails),
        async (key, spell, kept, before, tail) => {
          const cut = key.slice(0, kept);
          const shown = await shownStrings(texts[place]!, `${before}${spell(cut)}${tail}`, key);
          expect(leaks(shown, key, 8)).toEqual([]);
          expect(shown.filter((one) => one.includes(btoa(key.slice(0, 6))))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  },
);

test.each([
  ['sk_live_4f1a9c', 'keys begin with sk_live_', 'wrong key sk_live_4***'],
  ['petstore-4f1a9c', 'the petstore is closed: petstore-api', 'petstore-4'],
  ['mock-free-1', 'use mock-free or mock-pro', 'no key mock-free-1 here'],
  ['correcthorsebattery', 'a correct horse', '"correcth"'],
  ['correct-horse-battery-staple', 'correct-horse-b', 'correct-horse-ba\u2026'],
  ['4f1a9c77aa', '4f1a9c7 7aa', '{4f1a9c77}'],
])(
  'the words that the key %s begins with are in the text "%s", which is shown; "%s" is not',
  async (key, innocent, cut) => {
    const shownBy = async (text: string) => {
      const strings = await shownStrings(texts['a failure of fetch']!, text, key);
      return strings.some((one) => one.includes(text));
    };
    expect([await shownBy(innocent), await shownBy(cut)]).toEqual([true, false]);
  },
);
