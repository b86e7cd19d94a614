/** The planned requests, by name and in the order in which they are sent. */
import type { Permit } from './types.js';

/** Whose key a request carries: the one given, a second one, one that no service knows, or none. */
export type KeyClass = 'own' | 'second' | 'invalid' | 'none';

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
  readonly needs?: Permit | 'second-key';
  /** True where a service that keeps to the interface makes a pet of it. */
  readonly creates?: true;
}

type Plan = Readonly<Record<string, Omit<Ask, 'name'>>>;

const get = (path: string, more: Partial<Ask> = {}) =>
  ({ method: 'GET', path, key: 'own', ...more }) as const;
const post = (body: string, more: Partial<Ask> = {}) =>
  ({ method: 'POST', path: '/pets', key: 'own', body, needs: 'posts', ...more }) as const;
const create = (fields: string) =>
  post(`{"name":"petstore-verify",${fields}}`, { needs: 'create', creates: true });

/** A body without a name, of so many bytes. The spaces make it longer, and say nothing new. */
const bodyOf = (bytes: number) => `{"categoryId":1${' '.repeat(bytes - 16)}}`;

const plan = {
  list: get('/pets'),
  withoutKey: get('/pets', { key: 'none' }),
  petWithoutKey: get('/pets/1', { key: 'none' }),
  invalidKey: get('/pets', { key: 'invalid' }),
  petWithInvalidKey: get('/pets/1', { key: 'invalid' }),
  wholeList: get('/pets?limit=100'),
  available: get('/pets?limit=100&status=available'),
  pending: get('/pets?limit=100&status=pending'),
  sold: get('/pets?limit=100&status=sold'),
  wholeListAgain: get('/pets?limit=100'),
  listOfOne: get('/pets?limit=1'),
  listedPet: get('/pets/{listed}'),
  // Ids that no service has given by chance: one that a double holds, and one that only an int64 does.
  missingPet: get('/pets/9007199254740881'),
  missingInt64Pet: get('/pets/9223372036854775783'),
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
  postWithoutKey: post('{}', { key: 'none' }),
  withoutName: post('{"categoryId":1}'),
  withoutNameAgain: post('{"categoryId":1}'),
  withoutCategory: post('{"name":"petstore-verify"}'),
  nameNumber: post('{"name":7,"categoryId":1}'),
  categoryText: post('{"name":"petstore-verify","categoryId":"1"}'),
  wrongStatus: post('{"name":"petstore-verify","categoryId":1,"status":"petstore-verify"}'),
  brokenJson: post('{'),
  asText: post('{"categoryId":1}', { type: 'text/plain' }),
  body1KiB: post(bodyOf(1_024)),
  body64KiB: post(bodyOf(65_536)),
  longBody: post(bodyOf(1_048_577)),
  // Pets that stay.
  newPet: create('"categoryId":1'),
  createdPet: get('/pets/{created}', { needs: 'create' }),
  exactPet: create('"categoryId":9007199254740993,"status":"sold"'),
  unknownFieldPet: create('"categoryId":1,"status":"pending","petstoreVerify":true'),
} as const satisfies Plan;

/** The name of a planned request. */
export type AskName = keyof typeof plan;

/** Every planned request but those whose number or time depends on the answers. */
export const asks: readonly Ask[] = Object.entries(plan).map(([name, ask]) => ({ name, ...ask }));

/** One more request, to see how the minute is counted. */
export const probe: Ask = { name: 'probe', ...get('/pets?limit=1') };
/** Sent again and again, until it is refused. */
export const burst: Ask = { name: 'burst', ...get('/pets?limit=1', { needs: 'rate-limit' }) };
/** Sent once, after the wait that the 429 has announced. */
export const afterwards: Ask = { ...burst, name: 'afterwards' };

/** Whether a request carries a key that the service knows. */
export const hasKey = ({ key }: Ask): boolean => key === 'own' || key === 'second';

/** A request in a line of a report. A long body is shown by its length. */
export function describeAsk({ method, path, key, body }: Ask): string {
  const who = {
    own: '',
    second: ' with the second key',
    invalid: ' with an invalid key',
    none: ' without a key',
  }[key];
  const sent = body === undefined || body.length <= 100 ? body : `${body.length} bytes`;
  return `${method} ${path}${sent === undefined ? '' : ` with ${sent}`}${who}`;
}
