/** Judges each statement of the interface. */
import { ErrorSchema, headers as names } from '../../../src/contract/index.js';
import { parseJson } from '../../../src/contract/json.js';
import { petFields, type MockPet } from '../../pets/pet.js';
import { describeAsk, type AskName } from '../asks.js';
import {
  createdPet,
  isPet,
  petsOf,
  type ReceivedAnswer,
  type Answered,
  type Exchanges,
} from '../ask/exchange.js';
import { numberIn } from '../ask/rate.js';
import type { StatementFinding } from '../types.js';

/** Undefined: it holds. A text: what is wrong. An object: why the answers say too little of it. */
export type Outcome = string | undefined | Pick<StatementFinding, 'verdict' | 'why'>;

export const notJudged = (why: string): Outcome => ({ verdict: 'not judged', why });

/** Whether a statement holds. */
export type Judge = (seen: Look) => Outcome;

/** What a judge sees of a run. */
interface Look {
  readonly exchanges: Exchanges;
  readonly basePath: string;
  /** The answers that show the statement; without a request of its own, all that are no outage. */
  readonly own: readonly Answered[];
  /** The answer to a request that shows the statement. */
  readonly of: (name: AskName) => ReceivedAnswer;
  /** The pets of a list; undefined where it is none. */
  readonly pets: (name: AskName) => readonly MockPet[] | undefined;
}

/** True of each answer; `wrong`: what is wrong with one of them. `of`: which ones are looked at. */
const each =
  (wrong: (answer: ReceivedAnswer) => string | undefined, of = /^/): Judge =>
  ({ own }) => {
    const broken = own.flatMap(({ ask, answer }) => {
      const what = of.test(ask.path) ? wrong(answer) : undefined;
      return what === undefined ? [] : [`${describeAsk(ask)} → ${answer.status}: ${what}`];
    });
    return broken.length === 0
      ? undefined
      : `${broken.length} of ${own.length} answers: ${broken[0]}`;
  };

/** Of the paths of pets: the interface says nothing of other paths. */
const eachOfPets = (wrong: (answer: ReceivedAnswer) => string | undefined): Judge =>
  each(wrong, /^\/pets(?:[/?]|$)/);

export const get = (wanted: number): Judge =>
  each(({ status }) => (status === wanted ? undefined : `not ${wanted}`));

/** Without a list of pets nothing else can be judged. */
export const beReached: Judge = ({ exchanges, basePath, pets }) => {
  const [{ answer, failed } = { failed: 'it was not sent' }] = exchanges;
  if (!answer) return notJudged(`GET /pets got no response: ${failed}`);
  const { status, headers, json } = answer;
  if (pets('list')) return undefined;
  if (status === 401 || status === 403)
    return notJudged(
      `the API key was refused with ${status}: check that it is a key of this environment`,
    );
  if (status === 429) return notJudged('the quota of the key is used up (429)');
  if (status >= 500) return notJudged(`the service is out of order (${status})`);
  if (status >= 300 && status < 400)
    return `it redirects (${status}) to ${headers['location'] ?? 'nowhere'}: give that address`;
  if (status === 404)
    return `status 404 for ${basePath}/pets: is the address right? --base-path sets what stands before /pets`;
  if (status !== 200) return `status ${status}`;
  return json === undefined
    ? `the body is not JSON (Content-Type: ${headers['content-type'] ?? 'none'})`
    : 'the JSON is not an array of pets with id, name and categoryId';
};

export const holdNumbers = each(({ headers }) => {
  const missing = [names.limit, names.remaining, names.reset].filter(
    (name) => numberIn(headers[name.toLowerCase()]) === undefined,
  );
  return missing.length === 0 ? undefined : `no number in ${missing.join(', ')}`;
});

export const beATimestamp = each(({ reset = Infinity }) =>
  reset < 1e8 ? `${reset} is not a Unix timestamp of today` : undefined,
);

export const beWithin = each(({ rate }) =>
  rate && rate.remaining > rate.limit ? `${rate.remaining} of ${rate.limit}` : undefined,
);

export const beJson = eachOfPets(({ headers, text, json, status }) => {
  if (text === '' || status === 429) return undefined;
  if (json === undefined) return 'the body is not JSON';
  const type = headers['content-type'] ?? 'none';
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
    ? undefined
    : `Content-Type: ${type}`;
});

const isError = (status: number) => status >= 400 && status !== 429;

export const haveTheShapeOfAnError = eachOfPets(({ status, json }) =>
  isError(status) && !ErrorSchema.safeParse(json).success
    ? 'no object with code, message and status'
    : undefined,
);

export const repeatTheStatus = eachOfPets(({ status, json }) => {
  const { data = { status } } = ErrorSchema.safeParse(json);
  return isError(status) && data.status !== status ? `the body says ${data.status}` : undefined;
});

export const beExact = eachOfPets(({ status, json }) =>
  status > 201 || [json].flat().every(isPet)
    ? undefined
    : 'a pet whose id or categoryId is not an int64',
);

export const haveUniqueIds = each((answer) => {
  const ids = (petsOf(answer) ?? []).map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) < at);
  return twice === undefined ? undefined : `two pets have the id ${twice}`;
});

export const beAnArray = each((answer) => (petsOf(answer) ? undefined : 'no array of pets'));

export const allow100: Judge = ({ of, pets }) => {
  const [count, whole] = [pets('list')!.length, pets('wholeList')?.length];
  if (whole === undefined) return `status ${of('wholeList').status}`;
  if (whole > 100) return `${whole} pets`;
  return count > whole ? `${whole} pets, but ${count} without a limit` : undefined;
};

export const have20: Judge = ({ pets }) => {
  const [count, whole] = [pets('list')!.length, pets('wholeList')?.length];
  if (count > 20) return `${count} pets without a limit`;
  if (whole === undefined) return notJudged('list.limit-100 does not hold');
  if (count < Math.min(20, whole)) return `${count} pets of ${whole}`;
  return whole > 20 ? undefined : notJudged(`it takes more than 20 pets: there are ${whole}`);
};

export const keepToIt: Judge = ({ of, pets }) => {
  const [count, total] = [pets('listOfOne')?.length, pets('list')!.length];
  if (count === undefined) return `status ${of('listOfOne').status}, or no array of pets`;
  if (total < 2) return notJudged(`it takes two pets or more: there are ${total}`);
  return count === 1 ? undefined : `${count} pets for a limit of 1`;
};

export const filter: Judge = ({ own, pets }) => {
  const listed = pets('wholeList') ?? [];
  for (const { ask, answer } of own) {
    const found = petsOf(answer);
    if (!found) return `status=${ask.name} is answered ${answer.status}, or no array of pets`;
    if (found.some(({ status }) => status !== ask.name))
      return `status=${ask.name} also answers pets with another status`;
    const ids = new Set(found.map(({ id }) => id));
    const lost = listed.filter(({ id, status }) => status === ask.name && !ids.has(id));
    if (lost.length > 0 && found.length < 100)
      return `status=${ask.name} leaves out ${lost.length} pets of the list`;
  }
  return own.some(({ answer }) => petsOf(answer)!.length > 0)
    ? undefined
    : notJudged('no pet has a status');
};

/** Whether a pet is as it is expected, by default in all its fields. */
function isAlike(
  got: unknown,
  expected: unknown,
  fields: readonly string[] = ['id', ...petFields],
): Outcome {
  const [is, wanted] = [got ?? {}, expected ?? {}] as Record<string, unknown>[];
  const other = fields.filter((name) => is![name] !== wanted![name]);
  return other.map((name) => `${name} is ${String(is![name])}`).join(', ') || undefined;
}

/** Whether these fields of a new pet are as they were sent. */
const isAsSent = ({ ask, answer }: Answered, fields: readonly string[]): Outcome =>
  isAlike(answer.json, parseJson(ask.body!), fields);

/** The last answer is the pet that another one has shown; `what` it is, in words. */
const returnThePet =
  (what: string, shown: (seen: Look) => unknown): Judge =>
  (seen) => {
    const { status, json } = seen.own.at(-1)!.answer;
    return status === 200 ? isAlike(json, shown(seen)) : `status ${status} for ${what}`;
  };

export const returnTheListedPet = returnThePet(
  'a pet of the list',
  ({ pets }) => pets('wholeList')![0],
);
export const returnTheNewPet = returnThePet('a new pet', ({ of }) => of('newPet').json);

/** The interface shows no limits of a name, and no categories. */
const mayRefuse = ({ status }: ReceivedAnswer): Outcome =>
  notJudged(`status ${status}: it may not take this name, or have this category`);

/** The second pet has a status, and a category that may not exist. */
export const echo: Judge = ({ own: [first, second] }) => {
  const { answer } = first!;
  if (isError(answer.status)) return mayRefuse(answer);
  if (answer.status !== 201) return `status ${answer.status}`;
  if (!createdPet(answer)) return 'the body is no pet';
  const more = createdPet(second!.answer) && isAsSent(second!, ['name', 'status']);
  return isAsSent(first!, ['name', 'categoryId']) ?? more;
};

export const keepInt64: Judge = ({ own: [exchange] }) =>
  exchange!.answer.status === 201
    ? isAsSent(exchange!, ['categoryId'])
    : mayRefuse(exchange!.answer);

export const getUniqueIds: Judge = ({ exchanges, pets }) => {
  const ids = exchanges.flatMap(({ answer }) => createdPet(answer)?.id ?? []);
  const listed = pets('wholeList')?.map(({ id }) => id);
  if (ids.length < 2) return notJudged('fewer than two pets were created');
  if (new Set(ids).size < ids.length) return 'two new pets have the same id';
  return ids.some((id) => listed?.includes(id)) ? 'a new pet has the id of another one' : undefined;
};

export const refuse: Judge = ({ own }) => {
  const last = own.at(-1);
  if (!last || own.some(({ answer }) => answer.status === 429)) return undefined;
  // A bucket that refills as fast as requests are sent is never empty.
  return last.answer.rate?.remaining === 0
    ? `${own.length} requests, and no 429`
    : notJudged('X-RateLimit-Remaining is not 0');
};

export const announceAWait: Judge = ({ own }) => {
  const refused = own.find(({ answer }) => answer.status === 429)?.answer;
  if (!refused) return notJudged('there was no 429');
  return refused.headers[names.retryAfter.toLowerCase()] ? undefined : 'no Retry-After';
};

/** The last request was sent after the wait. */
export const keepItsWord: Judge = ({ own }) =>
  own.at(-1)?.answer.status === 429
    ? 'the request after the wait was answered 429 again'
    : undefined;
