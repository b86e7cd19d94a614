/** What the interface says of lists, of single pets, and of adding one. */
import { NewPetSchema } from '../../../src/contract/index.js';
import { parseJson } from '../../../src/contract/json.js';
import type { Ask } from '../asks.js';
import { createdPet } from '../ask/exchange.js';
import {
  allGet,
  notJudged,
  otherFields,
  problem,
  statement,
  type Look,
  type Statement,
} from './statement.js';

const fields = ['id', 'name', 'categoryId', 'status'] as const;
const statuses = ['available', 'pending', 'sold'] as const;
const refused = allGet(400, 'Add an animal: 400');
const missing = allGet(404, 'Get an animal');

export const petStatements: readonly Statement[] = [
  statement('prefix.v1', 'The paths begin with /v1', 'Versioning, 1', ['list'], ({ basePath }) =>
    basePath === '/v1'
      ? undefined
      : notJudged(`the base path ${basePath || '(none)'} was asked for instead`),
  ),
  statement(
    'list.array',
    'A list is a JSON array of pets with id, name and categoryId',
    'Resources and their fields: Pet',
    ['wholeList'],
    ({ of, pets }) => {
      const { status } = of('wholeList');
      if (pets('wholeList')) return undefined;
      return status === 200 ? 'not an array of pets' : `status ${status}`;
    },
  ),
  statement(
    'list.limit-100',
    'A limit of 100 is allowed, and returns at most 100 pets',
    'List animals: limit',
    ['list', 'wholeList'],
    ({ of, pets }) => {
      const [count, whole] = [pets('list')!.length, pets('wholeList')?.length];
      if (whole === undefined) return `status ${of('wholeList').status}`;
      if (whole > 100) return `${whole} pets`;
      return count > whole ? `${whole} pets, but ${count} without a limit` : undefined;
    },
  ),
  statement(
    'list.default-20',
    'A list without a limit has 20 pets, or all when there are fewer',
    'List animals: limit',
    ['list', 'wholeList'],
    ({ pets }) => {
      const [count, whole] = [pets('list')!.length, pets('wholeList')?.length];
      if (count > 20) return `${count} pets without a limit`;
      if (whole === undefined) return notJudged('list.limit-100 does not hold');
      if (count < Math.min(20, whole)) return `${count} pets of ${whole}`;
      return whole > 20 ? undefined : notJudged(`it takes more than 20 pets: there are ${whole}`);
    },
  ),
  statement(
    'list.limit',
    'A list has no more pets than its limit',
    'List animals: limit',
    ['list', 'listOfOne'],
    ({ of, pets }) => {
      const count = pets('listOfOne')?.length;
      const total = pets('list')!.length;
      if (count === undefined) return `status ${of('listOfOne').status}, or no array of pets`;
      if (count > 1) return `${count} pets for a limit of 1`;
      if (total < 2) return notJudged(`it takes two pets or more: there are ${total}`);
      return count === 1 ? undefined : 'no pet for a limit of 1';
    },
  ),
  statement(
    'list.status-filter',
    'A status filter returns all pets of that status, and no others',
    'List animals: status',
    ['wholeList', ...statuses],
    judgeFilter,
  ),
  statement(
    'get.200',
    'GET of a pet of the list returns the same pet',
    'Get an animal',
    ['wholeList', 'listedPet'],
    ({ of, pets }) => {
      const { status, json } = of('listedPet');
      if (status !== 200) return `status ${status} for a pet of the list`;
      const other = otherFields(json, pets('wholeList')![0], fields);
      return other.length === 0 ? undefined : `${other.join(', ')} differ from the list`;
    },
  ),
  missing('get.404', 'An id that no pet has gets status 404', 'missingPet'),
  missing(
    'get.int64',
    'An id is an int64: one that is larger than 2^53 works like any other',
    'missingInt64Pet',
  ),
  refused(
    'create.400-missing',
    'A body without name or categoryId gets status 400',
    'withoutName',
    'withoutCategory',
  ),
  refused(
    'create.400-type',
    'A name that is a number, or a categoryId that is a text, gets status 400',
    'nameNumber',
    'categoryText',
  ),
  refused('create.400-status', 'A status that is no PetStatus gets status 400', 'wrongStatus'),
  statement(
    'create.201-echo',
    'A new pet gets status 201, and comes back as it was sent, with an id',
    'Add an animal: 201',
    ['newPet'],
    (seen) => {
      const { status } = seen.of('newPet');
      if (status !== 201) return `status ${status}`;
      return createdPet(seen.of('newPet')) ? unlikeSent(seen, 'newPet') : 'the body is no pet';
    },
  ),
  statement(
    'create.read-back',
    'GET of a new pet returns it as it was added',
    'Get an animal',
    ['newPet', 'createdPet'],
    ({ of }) => {
      const { status, json } = of('createdPet');
      if (status !== 200) return `status ${status}`;
      const other = otherFields(json, of('newPet').json, fields);
      return other.length === 0 ? undefined : `${other.join(', ')} differ from what 201 said`;
    },
  ),
  statement(
    'create.int64-exact',
    'A categoryId that is larger than 2^53 is kept exactly',
    'Resources and their fields: NewPet, format int64',
    ['exactPet'],
    (seen) => {
      const { status } = seen.of('exactPet');
      return status === 201
        ? unlikeSent(seen, 'exactPet')
        : notJudged(`status ${status}: it may be no category that exists`);
    },
  ),
  statement(
    'create.id-unique',
    'Each pet gets an id of its own',
    'Resources and their fields: Pet',
    ['wholeList', 'newPet', 'exactPet'],
    ({ exchanges, pets }) => {
      const ids = exchanges.flatMap(({ answer }) => createdPet(answer)?.id ?? []);
      const listed = new Set(pets('wholeList')?.map(({ id }) => id));
      if (ids.length < 2) return notJudged('fewer than two pets were created');
      if (new Set(ids).size < ids.length) return 'two new pets have the same id';
      return ids.some((id) => listed.has(id)) ? 'a new pet has the id of another one' : undefined;
    },
  ),
];

function judgeFilter({ of, pets }: Look) {
  const found = new Set<unknown>();
  const uncut: string[] = [];
  for (const status of statuses) {
    const own = pets(status);
    if (!own) return `status=${status} is answered ${of(status).status}, or no array of pets`;
    if (own.some((pet) => pet.status !== status))
      return `status=${status} also answers pets with another status`;
    for (const { id } of own) found.add(id);
    if (own.length < 100) uncut.push(status);
  }
  const lost = (pets('wholeList') ?? []).filter(
    ({ id, status }) => uncut.includes(status ?? '') && !found.has(id),
  );
  if (lost.length > 0) return `${lost.length} pets of the list are answered for no status`;
  return found.size === 0 ? notJudged('no pet has a status') : undefined;
}

/** What differs between a new pet and what was sent. */
function unlikeSent({ exchanges, of }: Look, name: 'newPet' | 'exactPet'): string | undefined {
  const { body } = exchanges.find(({ ask }) => ask.name === name)!.ask as Required<Ask>;
  const sent = NewPetSchema.parse(parseJson(body)) as Record<string, unknown>;
  const got = of(name).json as Record<string, unknown>;
  const other = otherFields(got, sent, Object.keys(sent));
  return problem(other.map((field) => `${field} is ${String(got[field])}: not what was sent`));
}
