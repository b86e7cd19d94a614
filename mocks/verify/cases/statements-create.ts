/** What the interface says of adding an animal. */
import { NewPetSchema } from '../../../src/contract/index.js';
import { parseJson } from '../../../src/contract/json.js';
import { describeAsk, type Ask } from '../ask/request.js';
import {
  allGet,
  answerOf,
  type Case,
  createdId,
  fails,
  holds,
  isPet,
  type Known,
  undecided,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

const refused = allGet(400, 'Add an animal: 400');

export const createStatements: readonly Case[] = [
  refused(
    'create.400-missing',
    'A body without name or categoryId gets status 400',
    [ask.withoutName, ask.withoutCategory],
    'posts',
  ),
  refused(
    'create.400-type',
    'A name that is a number, or a categoryId that is a text, gets status 400',
    [ask.nameNumber, ask.categoryText],
    'posts',
  ),
  refused(
    'create.400-status',
    'A status that is no PetStatus gets status 400',
    [ask.statusUnknown],
    'posts',
  ),
  {
    id: 'create.201-echo',
    title: 'A new pet gets status 201, and comes back as it was sent, with an id',
    section: 'Add an animal: 201',
    level: 'create',
    after: ['reach'],
    requests: (known: Known): readonly Ask[] => ask.ifAllowed(known, ask.controlPet),
    judge: (known: Known): Verdict => {
      const answer = answerOf(known, ask.controlPet)!;
      if (answer.status !== 201) return fails(`status ${answer.status}`);
      return isPet(answer.json)
        ? sameAsSent(ask.controlPet, answer.json)
        : fails('the body is no pet');
    },
  },
  {
    id: 'create.read-back',
    title: 'GET of a new pet returns it as it was added',
    section: 'Get an animal',
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => [
      ...ask.ifAllowed(known, ask.controlPet),
      ...[ask.readBack(known, ask.controlPet) ?? []].flat(),
    ],
    judge: (known: Known): Verdict => {
      const request = ask.readBack(known, ask.controlPet);
      if (!request) return undecided('no pet was created');
      const answer = answerOf(known, request)!;
      if (answer.status !== 200) return fails(`${describeAsk(request)} → ${answer.status}`);
      const was = answerOf(known, ask.controlPet)!.json as Record<string, unknown>;
      const is = answer.json as Record<string, unknown>;
      const other = ['id', 'name', 'categoryId', 'status'].filter((name) => was[name] !== is[name]);
      return other.length === 0 ? holds : fails(`${other.join(', ')} differ from what 201 said`);
    },
  },
  {
    id: 'create.int64-exact',
    title: 'A categoryId that is larger than 2^53 is kept exactly',
    section: 'Resources and their fields: NewPet, format int64',
    ...ask.ofNewPets(ask.exactPet),
    judge: (known: Known): Verdict => {
      const answer = answerOf(known, ask.exactPet)!;
      if (answer.status !== 201)
        return undecided(`status ${answer.status}: it may be no category that exists`);
      return sameAsSent(ask.exactPet, answer.json);
    },
  },
  {
    id: 'create.id-unique',
    title: 'Each pet gets an id of its own',
    section: 'Resources and their fields: Pet',
    ...ask.ofNewPets(ask.controlPet, ask.exactPet, ask.unknownFieldPet),
    judge: (known: Known): Verdict => {
      const ids = ask.newPets.flatMap((pet) => createdId(answerOf(known, pet)) ?? []).map(String);
      const listed = new Set((ask.listedPets(known) ?? []).map(({ id }) => String(id)));
      if (ids.length < 2) return undecided('fewer than two pets were created');
      if (new Set(ids).size < ids.length) return fails('two new pets have the same id');
      return ids.some((id) => listed.has(id))
        ? fails('a new pet has the id of another one')
        : holds;
    },
  },
];

/** Whether an answer repeats what was sent. */
function sameAsSent(request: Ask, answer: unknown): Verdict {
  const sent = NewPetSchema.parse(parseJson(request.body!));
  const got = (answer ?? {}) as Record<string, unknown>;
  const names = ['name', 'categoryId', ...('status' in sent ? ['status'] : [])];
  const other = names.filter((name) => got[name] !== (sent as Record<string, unknown>)[name]);
  return other.length === 0
    ? holds
    : fails(
        `${other.map((name) => `${name} is ${String(got[name])}`).join(', ')}: not what was sent`,
      );
}
