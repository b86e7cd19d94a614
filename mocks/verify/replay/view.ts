/** The compared parts of a response: everything that an assumption can change, and nothing that changes with time. */
import { ErrorSchema, headers as names } from '../../../src/contract/index.js';
import { hasKey, type Ask, type AskName } from '../asks.js';
import {
  answerOf,
  createdPet,
  isCached,
  isPet,
  petsOf,
  type ReceivedAnswer,
} from '../ask/exchange.js';
import { unitOf } from '../ask/rate.js';
import type { Asked } from './replay.js';

export type View = Readonly<Record<string, unknown>>;

/** What is compared of the answers of a run, or of a replay. */
export const viewsOf = (all: readonly Asked[]): View[] => all.map((one) => viewOf(one, all));

function viewOf({ ask, answer }: Asked, others: readonly Asked[]): View {
  const { status, json, headers } = answer;
  const pet = isPet(json) ? json : undefined;
  return {
    status,
    count: petsOf(answer)?.length,
    fields: pet && Object.keys(pet).toSorted().join(),
    petStatus: pet && (pet.status ?? 'absent'),
    step: stepOf(answer, others),
    ...wordingOf(ask, answer, others),
    order: orderOf(answer, others),
    again: ask.name === 'wholeListAgain' ? isSameOrder(answer, others) : undefined,
    date: isCached({ answer }) ? undefined : 'date' in headers,
    unit: unitIn(answer),
    limit: hasKey(ask) ? undefined : answer.rate?.limit,
    body: bodyOf(answer),
  };
}

/** Whether the id of a new pet comes after that of the one before: others may add pets in between. */
function stepOf(answer: ReceivedAnswer, others: readonly Asked[]): string | undefined {
  const own = createdPet(answer);
  const before = others.flatMap((other) => createdPet(other.answer) ?? []);
  const last = own && before[before.findIndex(({ id }) => id === own.id) - 1];
  if (!own || !last) return undefined;
  const step = BigInt(own.id) - BigInt(last.id);
  return step > 0n && step < 1_000n ? 'next' : 'anywhere';
}

/**
 * An error that another one may repeat: then the body was read, or the path is like any unknown one. The third one has another
 * reason.
 */
const references: Readonly<Record<string, readonly AskName[]>> = {
  POST: ['withoutName', 'withoutNameAgain', 'brokenJson'],
  storeOrders: ['unknownPath', 'unknownPathAgain', 'missingPet'],
};

/**
 * Whether an error says the same as the one that it is compared with. Undefined, and then not compared, where that one varies, or
 * says the same for another reason.
 */
function wordingOf(ask: Ask, answer: ReceivedAnswer, others: readonly Asked[]): View | undefined {
  const names = references[ask.name] ?? references[ask.method] ?? [];
  const [once, again, other] = names.map((name) => words(answerOf(others, name)));
  if (once === undefined || once !== again || once === other) return undefined;
  const wording = words(answer) === once ? 'same' : 'other';
  return { wording: answer.status < 400 ? undefined : wording };
}

function words(answer: ReceivedAnswer | undefined): string | undefined {
  if (!answer) return undefined;
  const { code, message } = (answer.json ?? {}) as { code?: unknown; message?: unknown };
  const isText = (word: unknown) => (typeof word === 'string' ? word : typeof word);
  return JSON.stringify([code, message].map(isText));
}

/** The order of a list; of a single pet, whether it is the first or the last of the whole list by its id. */
function orderOf(answer: ReceivedAnswer, others: readonly Asked[]): string | undefined {
  const ids = petsOf(answer)?.map(({ id }) => id) ?? [];
  const whole = petsOf(answerOf(others, 'wholeList'))?.map(({ id }) => id) ?? [];
  if (ids.length === 0 || whole.length < 2) return undefined;
  const isOrdered = (isBefore: (one: number | bigint, other: number | bigint) => boolean) =>
    ids.length === 1
      ? whole.every((id) => id === ids[0] || isBefore(ids[0]!, id))
      : ids.every((id, at) => at === 0 || isBefore(ids[at - 1]!, id));
  if (isOrdered((one, other) => one < other)) return 'ascending';
  return isOrdered((one, other) => one > other) ? 'descending' : 'none';
}

/** Whether the pets of both lists have the same order in both: others may add and remove pets in between. */
function isSameOrder(answer: ReceivedAnswer, others: readonly Asked[]): boolean {
  const first = answerOf(others, 'wholeList');
  const [one, other] = [first, answer].map((list) => (petsOf(list) ?? []).map(({ id }) => id));
  const common = other!.filter((id) => one!.includes(id));
  return one!.filter((id) => other!.includes(id)).every((id, at) => id === common[at]);
}

function unitIn({ headers, reset }: ReceivedAnswer): string {
  if (reset !== undefined) return unitOf(reset);
  return names.reset.toLowerCase() in headers ? 'no number' : 'absent';
}

/** Of a failure. Its shape is not shown for a 429; for all others a statement says whether they keep to it. */
function bodyOf({ status, text, json }: ReceivedAnswer): string | undefined {
  if (status < 400) return undefined;
  if (text === '') return 'none';
  return status !== 429 || ErrorSchema.safeParse(json).success ? 'error' : 'other';
}
