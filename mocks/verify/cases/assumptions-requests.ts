/** What the interface leaves open of lists, queries and paths: asked with GET alone. */
import { listLimit } from '../../../src/contract/index.js';
import type { Ask } from '../ask/request.js';
import {
  answerOf,
  answered,
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

const statusOf = (known: Known, request: Ask) => answerOf(known, request)!.status;
const countOf = (known: Known, request: Ask) => petsOf(answerOf(known, request))?.length;

export const requestAssumptions: readonly Case[] = [
  {
    id: 'assumption.longestList',
    title: 'The most pets in a list',
    section: 'List animals: limit',
    level: 'get',
    after: ['list.limit-100', 'list.status-filter'],
    requests: () => [ask.wholeList, ...ask.filteredLists],
    judge: (known: Known): Verdict => {
      const count = countOf(known, ask.wholeList)!;
      if (count === listLimit.maximum) return measured(count);
      const ids = [ask.wholeList, ...ask.filteredLists].flatMap((request) =>
        (petsOf(answerOf(known, request)) ?? []).map(({ id }) => id),
      );
      if (new Set(ids).size <= count)
        return undecided(`it takes more pets than a list may have: there are ${count}`);
      return count < listLimit.default
        ? beyond(`${count} pets, although there are more`, listLimit.default)
        : measured(count, 'likely');
    },
  },
  {
    id: 'assumption.listOrder',
    title: 'Result ordering',
    section: 'Gaps: result ordering',
    level: 'get',
    after: ['list.limit-100'],
    requests: (known: Known): readonly Ask[] => [
      ask.wholeList,
      ask.wholeListAgain,
      ...(needsThirdList(known) ? [ask.wholeListThird] : []),
    ],
    judge: judgeOrder,
  },
  {
    id: 'assumption.invalidLimit',
    title: 'Response to a limit out of its bounds',
    section: 'List animals: limit',
    level: 'get',
    after: ['list.limit-100'],
    requests: () => [ask.wholeList, ask.limitBelow, ask.limitAbove, ask.limitNotANumber],
    judge: judgeInvalidLimit,
  },
  {
    id: 'assumption.invalidStatusFilter',
    title: 'Response to a status filter that is no PetStatus',
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
    title: 'Response to a petId that is no int64',
    section: 'Get an animal',
    level: 'get',
    after: ['get.404'],
    requests: () => [ask.petIdText, ask.petIdTooLarge],
    judge: (known: Known): Verdict => {
      const text = statusOf(known, ask.petIdText);
      const tooLarge = statusOf(known, ask.petIdTooLarge);
      const isValue = [404, 400, 422].includes(text);
      if (isValue && text === tooLarge) return measured(text);
      const said = `a text → ${text}, a number beyond int64 → ${tooLarge}`;
      return beyond(said, isValue ? text : 404);
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
    title: 'Response to GET /store/orders, whose shape is not shown',
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

/** Two lists of a few pets may be equal by chance, and two that differ may have been changed by another client. */
function needsThirdList(known: Known): boolean {
  const [first, second] = [ask.wholeList, ask.wholeListAgain].map((request) =>
    (petsOf(answerOf(known, request)) ?? []).map(({ id }) => String(id)),
  );
  const count = first!.length;
  return count > 1 && (count < 5 || first!.join() !== second!.join());
}

/** Every list of two pets or more that was asked for, as ids. */
function idLists(known: Known): (number | bigint)[][] {
  return answered(known).flatMap(({ ask: { method, path, key }, answer }) => {
    const isList = method === 'GET' && key === 'own' && /^\/pets(?:\?|$)/.test(path);
    const pets = isList ? petsOf(answer) : undefined;
    return pets && pets.length > 1 ? [pets.map(({ id }) => id)] : [];
  });
}

function judgeOrder(known: Known): Verdict {
  const lists = idLists(known);
  const most = Math.max(0, ...lists.map((list) => list.length));
  if (most < 2) return undecided('fewer than two pets');
  const order = lists.every((list) => isOrdered(list, 1))
    ? 'id-ascending'
    : lists.every((list) => isOrdered(list, -1))
      ? 'id-descending'
      : undefined;
  if (order !== undefined) {
    const chance = chanceOf(lists);
    if (chance > 1e-3)
      return undecided(`too few pets: ${most} in ${lists.length} lists`, [order, 'shuffled']);
    return measured(order, chance > 1e-6 ? 'likely' : 'certain');
  }
  const isShuffled = lists.some((one, at) =>
    lists.slice(at + 1).some((other) => !isSameOrder(one, other)),
  );
  if (lists.length === 1)
    return undecided('a list that was seen once, and does not go by the id', ['shuffled']);
  return isShuffled
    ? measured('shuffled', most < 5 ? 'likely' : 'certain')
    : beyond('a fixed order that does not go by the id');
}

/** How probable it is that shuffled lists are in order by chance. */
function chanceOf(lists: readonly (readonly unknown[])[]): number {
  let chance = 1;
  for (const { length } of lists) for (let left = length; left > 1; left--) chance /= left;
  return chance;
}

function isOrdered(list: readonly (number | bigint)[], direction: 1 | -1): boolean {
  return list.every(
    (id, at) => at === 0 || (direction === 1 ? list[at - 1]! < id : list[at - 1]! > id),
  );
}

/** Whether the pets that are in both lists have the same order in both: pets may be added or removed between two requests. */
function isSameOrder(
  one: readonly (number | bigint)[],
  other: readonly (number | bigint)[],
): boolean {
  const common = other.filter((id) => one.includes(id));
  return one.filter((id) => other.includes(id)).every((id, at) => id === common[at]);
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
  const possible = kinds.below.flatMap((below) =>
    kinds.above.flatMap((above) =>
      kinds.notANumber.map((notANumber) => joined({ below, above, notANumber })),
    ),
  );
  return possible.length === 1
    ? measured(possible[0])
    : undecided(`too few pets to distinguish clamp and default: ${total}; ${said}`, possible);
}

/** One value for all kinds where they agree. Text has no nearest limit: the mock's clamp treats it as left out. */
function joined(kinds: Readonly<Record<'below' | 'above' | 'notANumber', LimitAnswer>>): unknown {
  const { below, above, notANumber } = kinds;
  const isOne =
    below === above && (notANumber === above || (above === 'clamp' && notANumber === 'default'));
  return isOne ? above : kinds;
}

function answersTo(known: Known, request: Ask, clamped: number, byDefault: number): LimitAnswer[] {
  const answer = answerOf(known, request)!;
  if (answer.status === 400 || answer.status === 422) return [answer.status];
  const count = petsOf(answer)?.length;
  return [
    ...(count === clamped ? (['clamp'] as const) : []),
    ...(count === byDefault ? (['default'] as const) : []),
  ];
}
