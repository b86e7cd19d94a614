/** What the interface says of lists and single pets. */
import type { Ask } from '../ask/request.js';
import {
  allGet,
  answerOf,
  exchangeOf,
  fails,
  holds,
  notAsked,
  petsOf,
  undecided,
  type Case,
  type Known,
  type SeenPet,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

export const listStatements: readonly Case[] = [
  {
    id: 'reach',
    title: 'GET /pets returns 200 with a JSON array of pets',
    section: 'List animals',
    level: 'get',
    judgesFailures: true,
    requests: () => [ask.list],
    judge: judgeReach,
  },
  {
    id: 'prefix.v1',
    title: 'The paths begin with /v1',
    section: 'Versioning, 1',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.list],
    judge: ({ basePath }) =>
      basePath === '/v1'
        ? holds
        : notAsked(`the base path ${basePath || '(none)'} was asked for instead`),
  },
  {
    id: 'list.array',
    title: 'A list is a JSON array of pets with id, name and categoryId',
    section: 'Resources and their fields: Pet',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.wholeList],
    judge: (known: Known): Verdict => {
      const answer = answerOf(known, ask.wholeList)!;
      if (petsOf(answer)) return holds;
      return fails(answer.status === 200 ? 'not an array of pets' : `status ${answer.status}`);
    },
  },
  {
    id: 'list.limit-100',
    title: 'A limit of 100 is allowed, and returns at most 100 pets',
    section: 'List animals: limit',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.wholeList],
    judge: (known: Known): Verdict => {
      const answer = answerOf(known, ask.wholeList)!;
      const pets = petsOf(answer);
      const whole = petsOf(answerOf(known, ask.list));
      if (!pets) return fails(`status ${answer.status}`);
      if (pets.length > 100) return fails(`${pets.length} pets`);
      return whole && whole.length > pets.length
        ? fails(`${pets.length} pets, but ${whole.length} without a limit`)
        : holds;
    },
  },
  {
    id: 'list.default-20',
    title: 'A list without a limit has 20 pets, or all when there are fewer',
    section: 'List animals: limit',
    level: 'get',
    after: ['reach', 'list.limit-100'],
    requests: () => [ask.list, ask.wholeList],
    judge: (known: Known): Verdict => {
      const count = petsOf(answerOf(known, ask.list))!.length;
      const total = petsOf(answerOf(known, ask.wholeList))!.length;
      if (count > 20) return fails(`${count} pets without a limit`);
      if (total > 20) return count === 20 ? holds : fails(`${count} pets of ${total}`);
      if (count < total) return fails(`${count} pets of ${total}`);
      return undecided(`more than 20 pets are needed: there are ${total}`);
    },
  },
  {
    id: 'list.limit',
    title: 'A list has no more pets than its limit',
    section: 'List animals: limit',
    level: 'get',
    after: ['reach'],
    requests: () => [ask.listOfOne, ask.wholeList],
    judge: (known: Known): Verdict => {
      const answer = answerOf(known, ask.listOfOne)!;
      const count = petsOf(answer)?.length;
      const total = ask.listedPets(known)?.length ?? 0;
      if (count === undefined) return fails(`status ${answer.status}, or no array of pets`);
      if (count > 1) return fails(`${count} pets for a limit of 1`);
      if (total < 2) return undecided(`two pets or more are needed: there are ${total}`);
      return count === 1 ? holds : fails('no pet for a limit of 1');
    },
  },
  {
    id: 'list.status-filter',
    title: 'A status filter returns all pets of that status, and no others',
    section: 'List animals: status',
    level: 'get',
    after: ['reach', 'list.limit-100'],
    requests: (known: Known): readonly Ask[] => [
      ask.wholeList,
      ...ask.filteredLists,
      // Another client may have added a pet in between: what seems to be missing is looked for once more.
      ...(missingPets(known).length > 0 ? ask.statuses.map((status) => ask.listOf(status, 2)) : []),
    ],
    judge: judgeFilter,
  },
  {
    id: 'get.200',
    title: 'GET of a pet of the list returns the same pet',
    section: 'Get an animal',
    level: 'get',
    after: ['reach'],
    requests: (known: Known): readonly Ask[] => [
      ask.wholeList,
      ...[ask.firstPet(known) ?? []].flat(),
    ],
    judge: (known: Known): Verdict => {
      const request = ask.firstPet(known);
      if (!request) return undecided('there is no pet in the list');
      const answer = answerOf(known, request)!;
      const [listed] = ask.listedPets(known)!;
      const pet = answer.json as Partial<SeenPet> | undefined;
      if (answer.status !== 200) return fails(`status ${answer.status} for a pet of the list`);
      const other = (['id', 'name', 'categoryId', 'status'] as const).filter(
        (field) => pet?.[field] !== listed![field],
      );
      return other.length === 0 ? holds : fails(`${other.join(', ')} differ from the list`);
    },
  },
  allGet(404, 'Get an animal')(
    'get.404',
    'An id that no pet has gets status 404',
    [ask.missingPet],
    'get',
  ),
  {
    ...allGet(404, 'Get an animal: petId, format int64')(
      'get.int64',
      'An id is an int64: one that is larger than 2^53 works like any other',
      [ask.missingInt64Pet],
      'get',
    ),
    after: ['get.404'],
  },
];

function judgeReach(known: Known): Verdict {
  const { answer, failed } = exchangeOf(known, ask.list)!;
  if (!answer) return undecided(`GET /pets got no response: ${failed ?? 'no answer'}`);
  const { status, headers } = answer;
  if (petsOf(answer)) return holds;
  if (status === 401 || status === 403)
    return undecided(
      `the API key was refused with ${status}: check that it is a key of this environment`,
    );
  if (status === 429) return undecided('the quota of the key is used up (429)');
  if (status >= 500) return undecided(`the service is out of order (${status})`);
  if (status >= 300 && status < 400)
    return fails(
      `it redirects (${status}) to ${headers['location'] ?? 'nowhere'}: give that address`,
    );
  if (status === 404)
    return fails(
      `status 404 for ${known.basePath}/pets: is the address right? --base-path sets what stands before /pets`,
    );
  if (status !== 200) return fails(`status ${status}`);
  const type = headers['content-type'] ?? 'none';
  return fails(
    answer.json === undefined
      ? `the body is not JSON (Content-Type: ${type})`
      : 'the JSON is not an array of pets with id, name and categoryId',
  );
}

/** Pets of the whole list that no filter has answered, as far as its lists were asked for and were not cut. */
function missingPets(known: Known): readonly SeenPet[] {
  if (!ask.filteredLists.every((list) => answerOf(known, list))) return [];
  const withStatus = (status: string, nth?: number) =>
    petsOf(answerOf(known, ask.listOf(status, nth))) ?? [];
  const uncut: readonly unknown[] = ask.statuses.filter(
    (status) => withStatus(status).length < 100,
  );
  const found = new Set(
    ask.statuses
      .flatMap((status) => [...withStatus(status), ...withStatus(status, 2)])
      .map(({ id }) => id),
  );
  return (ask.listedPets(known) ?? []).filter(
    ({ id, status }) => uncut.includes(status) && !found.has(id),
  );
}

function judgeFilter(known: Known): Verdict {
  let seen = 0;
  for (const status of ask.statuses) {
    const answer = answerOf(known, ask.listOf(status))!;
    const pets = petsOf(answer);
    if (!pets) return fails(`status=${status} is answered ${answer.status}, or no array of pets`);
    const other = pets.find((pet) => pet.status !== status);
    if (other) return fails(`status=${status} also answers pets with another status`);
    seen += pets.length;
  }
  const missing = missingPets(known);
  if (missing.length > 0)
    return fails(`${missing.length} pets of the list are answered for no status`);
  return seen === 0 ? undecided('no pet has a status') : holds;
}
