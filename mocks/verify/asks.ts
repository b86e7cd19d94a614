/** The planned requests, by name and in the order in which they are sent. */
import type { Permit } from './types.js';

/** What must be allowed, or given, for some requests to be sent: why they are not, and the flag. */
export const flags = {
  posts: 'it sends bodies: --allow-posts',
  create: 'it creates pets, which stay: --allow-create',
  'rate-limit': 'it uses up the quota: --allow-rate-limit',
  'second-key': 'it takes two keys: --second-key',
} as const satisfies Record<Permit | 'second-key', string>;

/** Why some requests may not be sent, by what they need; `'all'`: why no more are sent at all. */
export type Closed = Partial<Record<keyof typeof flags | 'all', string>>;

const keys = {
  own: '',
  second: ' with the second key',
  invalid: ' with an invalid key',
  none: ' without a key',
};

/** Whose key a request carries: the one given, a second one, one that no service knows, or none. */
export type KeyClass = keyof typeof keys;

/** One request, as data. */
export interface Ask {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Behind the base path, with the query. `{listed}`: the id of the first pet of the list; `{created}`: of the first new pet. */
  readonly path: string;
  readonly key: KeyClass;
  readonly body?: string;
  /** `Content-Type`; default for a body: `application/json`. */
  readonly type?: string;
  /** What must be allowed, or given, for it to be sent. */
  readonly needs?: keyof typeof flags;
  /** How long to wait before it, ms. */
  readonly wait?: number;
  /** The names of the statements that its answer shows, besides those about every answer. */
  readonly shows?: readonly string[];
}

type Plan = Readonly<Record<string, Omit<Ask, 'name'>>>;

const get = (path: string, more: Partial<Ask> = {}) =>
  ({ method: 'GET', path, key: 'own', ...more }) as const;
const post = (body: string, more: Partial<Ask> = {}) =>
  ({ method: 'POST', path: '/pets', key: 'own', body, needs: 'posts', ...more }) as const;
const create = (fields: string, more: Partial<Ask> = {}) =>
  post(`{"name":"petstore-verify",${fields}}`, { needs: 'create', ...more });

/** A body without a name, of so many bytes. The spaces make it longer, and say nothing new. */
const bodyOf = (bytes: number) => `{"categoryId":1${' '.repeat(bytes - 16)}}`;

const plan = {
  list: get('/pets', { shows: ['reach', 'list.default-20'] }),
  withoutKey: get('/pets', { key: 'none', shows: ['auth.missing-401'] }),
  petWithoutKey: get('/pets/1', { key: 'none', shows: ['auth.missing-401'] }),
  invalidKey: get('/pets', { key: 'invalid', shows: ['auth.invalid-401'] }),
  petWithInvalidKey: get('/pets/1', { key: 'invalid', shows: ['auth.invalid-401'] }),
  wholeList: get('/pets?limit=100', { shows: ['list.array', 'list.limit-100'] }),
  available: get('/pets?limit=100&status=available', { shows: ['list.status-filter'] }),
  pending: get('/pets?limit=100&status=pending', { shows: ['list.status-filter'] }),
  sold: get('/pets?limit=100&status=sold', { shows: ['list.status-filter'] }),
  wholeListAgain: get('/pets?limit=100'),
  listOfOne: get('/pets?limit=1', { shows: ['list.limit'] }),
  listedPet: get('/pets/{listed}', { shows: ['get.200'] }),
  // Ids that no service has given by chance: one that a double holds, and one that only an int64 does.
  missingPet: get('/pets/9007199254740881', { shows: ['get.404'] }),
  missingInt64Pet: get('/pets/9223372036854775783', { shows: ['get.int64'] }),
  limitBelow: get('/pets?limit=0'),
  limitAbove: get('/pets?limit=101'),
  limitNotANumber: get('/pets?limit=abc'),
  unknownStatus: get('/pets?limit=100&status=petstore-verify'),
  unknownQuery: get('/pets?limit=1&petstore_verify=1'),
  repeatedLimit: get('/pets?limit=1&limit=2'),
  petIdText: get('/pets/abc'),
  petIdTooLarge: get('/pets/9223372036854775808'),
  unknownPathWithoutKey: get('/petstore-verify/unknown', { key: 'none' }),
  unknownPath: get('/petstore-verify/unknown'),
  unknownPathAgain: get('/petstore-verify/unknown'),
  storeOrders: get('/store/orders'),
  withoutKeyAgain: get('/pets', { key: 'none' }),
  secondKey: get('/pets?limit=1', { key: 'second', needs: 'second-key' }),
  keyInTurn: get('/pets?limit=1', { needs: 'second-key' }),
  secondKeyAgain: get('/pets?limit=1', { key: 'second', needs: 'second-key' }),
  keyInTurnAgain: get('/pets?limit=1', { needs: 'second-key' }),
  // Bodies that a service must refuse.
  postWithoutKey: post('{}', { key: 'none', shows: ['auth.create-401'] }),
  withoutName: post('{"categoryId":1}', { shows: ['create.400-missing'] }),
  withoutNameAgain: post('{"categoryId":1}'),
  withoutCategory: post('{"name":"petstore-verify"}', { shows: ['create.400-missing'] }),
  nameNumber: post('{"name":7,"categoryId":1}', { shows: ['create.400-type'] }),
  categoryText: post('{"name":"petstore-verify","categoryId":"1"}', { shows: ['create.400-type'] }),
  wrongStatus: post('{"name":"petstore-verify","categoryId":1,"status":"petstore-verify"}', {
    shows: ['create.400-status'],
  }),
  brokenJson: post('{'),
  asText: post('{"categoryId":1}', { type: 'text/plain' }),
  body1KiB: post(bodyOf(1_024)),
  body64KiB: post(bodyOf(65_536)),
  longBody: post(bodyOf(1_048_577)),
  // Pets that stay.
  newPet: create('"categoryId":1', {
    shows: ['create.201-echo', 'create.id-unique', 'create.read-back'],
  }),
  createdPet: get('/pets/{created}', { needs: 'create', shows: ['create.read-back'] }),
  exactPet: create('"categoryId":9007199254740993,"status":"sold"', {
    shows: ['create.201-echo', 'create.int64-exact', 'create.id-unique'],
  }),
  unknownFieldPet: create('"categoryId":1,"status":"pending","petstoreVerify":true'),
  // Shows how the minute is counted: a bucket refills, a minute ends, and requests leave a window.
  probe1: get('/pets?limit=1', { wait: 2_000 }),
  probe2: get('/pets?limit=1', { wait: 23_000 }),
  probe3: get('/pets?limit=1', { wait: 31_000 }),
  probe4: get('/pets?limit=1', { wait: 5_500 }),
  probe5: get('/pets?limit=1', { wait: 15_000 }),
  // Sent again and again, until it is refused; and once after the wait that the 429 has announced.
  burst: get('/pets?limit=1', {
    needs: 'rate-limit',
    shows: ['limit.429', 'limit.retry-after', 'limit.true'],
  }),
  afterwards: get('/pets?limit=1', { needs: 'rate-limit', shows: ['limit.true'] }),
} as const satisfies Plan;

/** The name of a planned request. */
export type AskName = keyof typeof plan;

/** Every request, in the order in which it is sent. */
export const allAsks: readonly Ask[] = Object.entries(plan).map(([name, ask]) => ({
  name,
  ...ask,
}));

/** True for a request that only counts: its answer says nothing that another one does not. */
export const isCounting = ({ name }: Ask): boolean => /^(?:probe\d|burst|afterwards)$/.test(name);

/** Whether a request carries a key that the service knows. */
export const hasKey = ({ key }: Ask): boolean => key === 'own' || key === 'second';

/** A request in a line of a report. A long body is shown by its length. */
export function describeAsk({ method, path, key, body = '' }: Ask): string {
  const sent = body.length <= 100 ? body : `${body.length} bytes`;
  return `${method} ${path}${sent && ` with ${sent}`}${keys[key]}`;
}
