/** What the interface leaves open of bodies and new pets. */
import { isInt64 } from '../../../src/contract/int64.js';
import type { Ask } from '../ask/request.js';
import {
  answerOf,
  beyond,
  type Case,
  codeOf,
  createdId,
  exchangeOf,
  type Known,
  measured,
  undecided,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

const threePets = ask.ofNewPets(ask.controlPet, ask.exactPet, ask.unknownFieldPet);

/** What the cases about long bodies share. */
const ofLongBodies = {
  level: 'posts',
  after: ['create.400-missing'],
  judgesFailures: true,
  requests: (known: Known): readonly Ask[] => [ask.withoutName, ...tried(known)],
} as const;

export const createAssumptions: readonly Case[] = [
  {
    id: 'assumption.malformedJson',
    title: 'Response to a body that is no JSON',
    section: 'Add an animal: 400',
    level: 'posts',
    after: ['reach'],
    requests: () => [ask.brokenJson],
    judge: (known: Known): Verdict => {
      const { status } = answerOf(known, ask.brokenJson)!;
      return status === 400 || status === 422 ? measured(status) : beyond(`status ${status}`, 400);
    },
  },
  {
    id: 'assumption.otherContentType',
    title: 'Response to a body of another content type',
    section: 'What the service does: JSON',
    level: 'posts',
    after: ['create.400-missing'],
    requests: () => [ask.withoutName, ask.withoutNameAgain, ask.asText],
    judge: (known: Known): Verdict => {
      const { status, json } = answerOf(known, ask.asText)!;
      if (status === 415 || status === 422) return measured(status);
      if (status !== 400) return beyond(`status ${status}`, 415);
      const [once, twice] = [ask.withoutName, ask.withoutNameAgain].map((request) =>
        wording(answerOf(known, request)!.json),
      );
      const text = wording(json);
      if (once !== twice)
        return undecided('the same request gets a different error each time', [400, 'accept']);
      // The body lacks a name as well: only another error shows that the body was not read.
      return text === once ? measured('accept', 'likely') : measured(400, 'likely');
    },
  },
  {
    id: 'assumption.maxBodyBytes',
    title: 'The longest body, in bytes',
    section: 'Add an animal',
    ...ofLongBodies,
    judge: (known: Known): Verdict => {
      const at = tooLong(known);
      if (at === undefined)
        return undecided(`${ask.sizes.at(-1)} bytes are read: no limit was found below them`);
      // A long name may make a shorter body that is too long as well.
      const lengths = ask.longNamePets
        .filter((pet) => answerOf(known, pet) && outcomeOf(known, pet) === 'body too long')
        .map(({ body }) => body!.length);
      return measured(Math.min(ask.sizes[at]!, ...lengths) - 1, 'bounded');
    },
  },
  {
    id: 'assumption.bodyTooLarge',
    title: 'Response to a body that is too long',
    section: 'Add an animal',
    ...ofLongBodies,
    judge: (known: Known): Verdict => {
      const at = tooLong(known);
      if (at === undefined) return undecided('no body was too long');
      const { answer, failed } = exchangeOf(known, ask.padded[at]!)!;
      if (!answer) return beyond(`no answer (${failed})`, 413);
      return answer.status === 413 || answer.status === 400
        ? measured(answer.status)
        : beyond(`status ${answer.status}`, 413);
    },
  },
  {
    id: 'assumption.omittedStatus',
    title: 'Status of a pet that was created without one',
    section: 'Gaps: value assigned when status is omitted',
    ...ask.ofNewPets(ask.controlPet),
    judge: (known: Known): Verdict => {
      const { status } = answerOf(known, ask.controlPet)!.json as { status?: unknown };
      if (status === undefined) return measured('absent');
      return ask.statuses.includes(status as 'sold')
        ? measured(status)
        : beyond(`status ${JSON.stringify(status)}`, 'available');
    },
  },
  {
    id: 'assumption.categories',
    title: 'Which categories there are',
    section: 'Gaps: category record fields',
    ...ask.ofNewPets(ask.exactPet),
    judge: (known: Known): Verdict => {
      const { status } = answerOf(known, ask.exactPet)!;
      if (status === 201) return measured('any', 'likely');
      if (status !== 400 && status !== 422)
        return undecided(`category 1 → 201, category 9007199254740993 → ${status}`);
      // There may be more categories than those that pets have.
      const used = (ask.listedPets(known) ?? []).flatMap(({ categoryId }) =>
        isInt64(categoryId) ? [categoryId] : [],
      );
      return measured([...new Set([1, ...used])], 'bounded');
    },
  },
  {
    id: 'assumption.unknownBodyFields',
    title: 'Fields of a body that the interface does not name',
    section: 'Resources and their fields: NewPet',
    ...ask.ofNewPets(ask.unknownFieldPet),
    judge: (known: Known): Verdict => {
      const { status, json } = answerOf(known, ask.unknownFieldPet)!;
      if (status === 400) return measured('reject');
      if (status !== 201) return beyond(`status ${status}`, 'reject');
      return Object.hasOwn(json as object, 'petstoreVerify')
        ? beyond('the field is kept and answered', 'ignore')
        : measured('ignore');
    },
  },
  {
    id: 'assumption.nameCharacters',
    title: 'Character limits of name',
    section: 'Gaps: length or character limits of name',
    ...ask.ofNewPets(ask.specialNamePet),
    judge: (known: Known): Verdict => {
      const { status } = answerOf(known, ask.specialNamePet)!;
      return status === 201
        ? measured('any', 'likely')
        : undecided(`a name with letters of several scripts is answered ${status}`);
    },
  },
  {
    id: 'assumption.nameLength',
    title: 'Length limits of name',
    section: 'Gaps: length or character limits of name',
    level: 'create',
    after: ['create.201-echo'],
    requests: namesToTry,
    judge: judgeNameLength,
  },
  {
    id: 'assumption.idAssignment',
    title: 'How id is assigned',
    section: 'Resources and their fields: Pet',
    ...threePets,
    requests: (known: Known): readonly Ask[] => [
      ...threePets.requests(known),
      ask.listAfterCreation,
    ],
    judge: (known: Known): Verdict => {
      const ids = ask.newPets
        .flatMap((pet) => createdId(answerOf(known, pet)) ?? [])
        .map((id) => BigInt(id));
      if (ids.length < 2) return undecided('fewer than two pets were created');
      const steps = ids.slice(1).map((id, index) => id - ids[index]!);
      // Other programs add pets too: small steps upwards are a sequence with gaps.
      const isSequence = steps.every((step) => step > 0n && step < 1_000n);
      return measured(isSequence ? 'sequential' : 'random', 'likely');
    },
  },
];

/** The bodies up to the first that is answered differently from a short one. */
function tried(known: Known): readonly Ask[] {
  const at = tooLong(known);
  if (at !== undefined) return ask.padded.slice(0, at + 1);
  const asked = ask.padded.filter((request) => exchangeOf(known, request));
  return ask.padded.slice(0, asked.length + 1);
}

/** The place of the first size that is answered differently from a short body. */
function tooLong(known: Known): number | undefined {
  const short = answerOf(known, ask.withoutName);
  const at = ask.padded.findIndex((request) => {
    const exchange = exchangeOf(known, request);
    if (!exchange) return false;
    if (!exchange.answer) return true;
    return (
      exchange.answer.status !== short?.status ||
      codeOf(exchange.answer.json) !== codeOf(short.json)
    );
  });
  return at < 0 ? undefined : at;
}

function wording(json: unknown): string {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  return JSON.stringify([code, message]);
}

/** What the response to a name of a given length says. */
function outcomeOf(known: Known, request: Ask): 'accepted' | 'refused' | 'body too long' {
  const { status, json } = answerOf(known, request)!;
  if (status === 201) return 'accepted';
  const at = tooLong(known);
  const limit = at === undefined ? undefined : answerOf(known, ask.padded[at]!);
  return limit && limit.status === status && codeOf(limit.json) === codeOf(json)
    ? 'body too long'
    : 'refused';
}

/** An empty name, and then ever shorter names up to the first that is accepted. */
function namesToTry(known: Known): readonly Ask[] {
  const [longest] = ask.longNamePets;
  if (ask.ifAllowed(known, longest!).length === 0) return [];
  const accepted = ask.longNamePets.findIndex((one) => answerOf(known, one)?.status === 201);
  const asked = ask.longNamePets.filter((one) => answerOf(known, one)).length;
  return [ask.emptyNamePet, ...ask.longNamePets.slice(0, accepted < 0 ? asked + 1 : accepted + 1)];
}

/** The limit lies between the longest name that is accepted and the shortest that is refused: the value is what is accepted. */
function judgeNameLength(known: Known): Verdict {
  const min = answerOf(known, ask.emptyNamePet)!.status === 201 ? 0 : 1;
  const outcomes = ask.longNamePets
    .slice(0, namesToTry(known).length - 1)
    .map((request) => outcomeOf(known, request));
  if (outcomes[0] === 'accepted') return measured({ min, max: 0 }, 'likely');
  const shortest = ask.nameLengths[outcomes.lastIndexOf('refused')];
  if (shortest === undefined) return measured({ min, max: 0 }, 'bounded');
  const max = ask.nameLengths[outcomes.indexOf('accepted')] ?? ask.shortLength;
  const range = max + 1 < shortest ? `max between ${max} and ${shortest - 1}` : undefined;
  return measured({ min, max }, 'bounded', range);
}
