/** What the interface leaves open of lists, queries and paths: asked with GET alone. */
import type { Ask } from '../ask/request.js';
import {
  answerOf,
  beyond,
  exchangeOf,
  measured,
  petsOf,
  undecided,
  type Case,
  type Known,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

const statusOf = (known: Known, request: Parameters<typeof answerOf>[1]) =>
  answerOf(known, request)!.status;
const countOf = (known: Known, request: Parameters<typeof answerOf>[1]) =>
  petsOf(answerOf(known, request))?.length;

export const requestAssumptions: readonly Case[] = [
  {
    id: 'assumption.listOrder',
    title: 'Result ordering',
    section: 'Gaps: result ordering',
    level: 'get',
    after: ['list.limit-100'],
    requests: (known: Known): readonly Ask[] => [
      ask.wholeList,
      ask.wholeListAgain,
      ...(ids(known, ask.wholeList) === ids(known, ask.wholeListAgain) ? [] : [ask.wholeListThird]),
    ],
    judge: judgeOrder,
  },
  {
    id: 'assumption.invalidLimit',
    title: 'Answer to a limit out of its bounds',
    section: 'List animals: limit',
    level: 'get',
    after: ['list.limit-100'],
    requests: () => [ask.wholeList, ask.limitBelow, ask.limitAbove, ask.limitNotANumber],
    judge: judgeInvalidLimit,
  },
  {
    id: 'assumption.invalidStatusFilter',
    title: 'Answer to a status filter that is no PetStatus',
    section: 'List animals: status',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.wholeList, ask.unknownStatus],
    judge: (known: Known): Verdict => {
      const status = statusOf(known, ask.unknownStatus);
      const count = countOf(known, ask.unknownStatus);
      if (status === 400 || status === 422) return measured(status);
      if (count === undefined) return beyond(`status ${status}`, 400);
      const total = ask.listedPets(known)?.length ?? 0;
      if (total === 0) return undecided('there is no pet', ['ignore', 'match-none']);
      if (count === 0) return measured('match-none');
      return count === total ? measured('ignore') : beyond(`${count} of ${total} pets`, 'ignore');
    },
  },
  {
    id: 'assumption.unknownQuery',
    title: 'Query parameters that the interface does not name',
    section: 'Gaps: pagination mechanism',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.unknownQuery],
    judge: (known: Known): Verdict => {
      const status = statusOf(known, ask.unknownQuery);
      if (status === 200) return measured('ignore');
      return status === 400 ? measured('reject') : beyond(`status ${status}`, 'reject');
    },
  },
  {
    id: 'assumption.repeatedQuery',
    title: 'A query parameter given more than once',
    section: 'List animals',
    level: 'get',
    after: ['list.limit'],
    requests: () => [ask.wholeList, ask.repeatedLimit],
    judge: (known: Known): Verdict => {
      const status = statusOf(known, ask.repeatedLimit);
      const count = countOf(known, ask.repeatedLimit);
      if (status === 400) return measured('reject');
      if (count === undefined) return beyond(`status ${status}`, 'reject');
      if ((ask.listedPets(known)?.length ?? 0) < 2)
        return undecided('fewer than two pets', ['first', 'last']);
      if (count === 1) return measured('first');
      return count === 2 ? measured('last') : beyond(`${count} pets`, 'first');
    },
  },
  {
    id: 'assumption.invalidPetId',
    title: 'Answer to a petId that is no int64',
    section: 'Get an animal',
    level: 'get',
    after: ['get.404'],
    requests: () => [ask.petIdText, ask.petIdTooLarge],
    judge: (known: Known): Verdict => {
      const seen = [statusOf(known, ask.petIdText), statusOf(known, ask.petIdTooLarge)];
      const [text] = seen;
      const known3 = [404, 400, 422].includes(text!);
      if (known3 && seen[0] === seen[1]) return measured(text);
      const said = `a text → ${seen[0]}, a number beyond int64 → ${seen[1]}`;
      return beyond(said, known3 ? text : 404);
    },
  },
  {
    id: 'assumption.unknownPathNeedsKey',
    title: 'Whether an unknown path needs a key and spends quota',
    section: 'Authentication',
    level: 'get',
    after: ['auth.missing-401'],
    requests: () => [ask.unknownPathWithoutKey, ask.unknownPath],
    judge: (known: Known): Verdict => {
      const without = statusOf(known, ask.unknownPathWithoutKey);
      const withKey = statusOf(known, ask.unknownPath);
      const said = `without a key → ${without}, with one → ${withKey}`;
      if (withKey !== 404) return beyond(said);
      const needs = without === 401 ? true : without === 404 ? false : undefined;
      return needs === undefined ? beyond(said) : measured(needs);
    },
  },
  {
    id: 'assumption.storeOrders',
    title: 'Answer to GET /store/orders, whose shape is not shown',
    section: 'What the service does',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.storeOrders],
    judge: (known: Known): Verdict => {
      const status = statusOf(known, ask.storeOrders);
      return [501, 404, 403].includes(status)
        ? measured(status)
        : beyond(`status ${status}${status === 200 ? ': it answers orders' : ''}`, 501);
    },
  },
];

function ids(known: Known, request: Parameters<typeof answerOf>[1]): string {
  return (petsOf(answerOf(known, request)) ?? []).map(({ id }) => String(id)).join(' ');
}

function judgeOrder(known: Known): Verdict {
  const first = petsOf(answerOf(known, ask.wholeList));
  if (!first || first.length < 3)
    return undecided(`only ${first?.length ?? 0} pets: it takes three or more to tell`);
  const lists = [ask.wholeList, ask.wholeListAgain, ask.wholeListThird].flatMap((request) => {
    const pets = petsOf(answerOf(known, request));
    return pets ? [pets.map(({ id }) => id)] : [];
  });
  const all = [list(lists, ascending), list(lists, descending)];
  if (all[0]) return measured('id-ascending', first.length < 5 ? 'likely' : 'certain');
  if (all[1]) return measured('id-descending', first.length < 5 ? 'likely' : 'certain');
  if (new Set(lists.map((one) => one.join(' '))).size === 1)
    return beyond('a fixed order that does not go by the id');
  // Two pets added or removed look different as well: only the order of those in all lists counts.
  const common = lists.map((one) => one.filter((id) => lists.every((other) => other.includes(id))));
  return new Set(common.map((one) => one.join(' '))).size === 1
    ? beyond('an order that does not go by the id')
    : measured('shuffled', first.length < 5 ? 'likely' : 'certain');
}

function list(
  lists: readonly (readonly (number | bigint)[])[],
  inOrder: (a: number | bigint, b: number | bigint) => boolean,
): boolean {
  return lists.every((one) => one.every((id, at) => at === 0 || inOrder(one[at - 1]!, id)));
}

function ascending(a: number | bigint, b: number | bigint): boolean {
  return a < b;
}

function descending(a: number | bigint, b: number | bigint): boolean {
  return a > b;
}

/** What one kind of invalid limit is answered with, as the mock can say it. */
type LimitAnswer = 400 | 422 | 'clamp' | 'default';

function judgeInvalidLimit(known: Known): Verdict {
  const total = ask.listedPets(known)?.length ?? 0;
  const kinds = {
    below: answersTo(known, ask.limitBelow, Math.min(1, total), Math.min(20, total)),
    above: answersTo(known, ask.limitAbove, Math.min(100, total), Math.min(20, total)),
    notANumber: answersTo(known, ask.limitNotANumber, NaN, Math.min(20, total)),
  };
  const said = [ask.limitBelow, ask.limitAbove, ask.limitNotANumber]
    .map((request) => {
      const exchange = exchangeOf(known, request)!;
      const count = countOf(known, request);
      return `${request.path.slice('/pets?'.length)} → ${exchange.answer!.status}${count === undefined ? '' : ` with ${count} pets`}`;
    })
    .join(', ');
  if (Object.values(kinds).some((answers) => answers.length === 0)) return beyond(said, 400);
  if (Object.values(kinds).some((answers) => answers.length > 1))
    return undecided(`too few pets to tell clamp from default: ${total}; ${said}`);
  const [below, above, notANumber] = Object.values(kinds).map(([answer]) => answer);
  // A text has no bounds to be brought into: the mock's clamp takes it as left out too.
  if (below === above && (notANumber === above || (above === 'clamp' && notANumber === 'default')))
    return measured(above);
  return measured({ below, above, notANumber });
}

function answersTo(
  known: Known,
  request: Parameters<typeof answerOf>[1],
  clamped: number,
  byDefault: number,
): LimitAnswer[] {
  const answer = answerOf(known, request)!;
  if (answer.status === 400 || answer.status === 422) return [answer.status];
  const count = petsOf(answer)?.length;
  return [
    ...(count === clamped ? (['clamp'] as const) : []),
    ...(count === byDefault ? (['default'] as const) : []),
  ];
}
