/** What the interface leaves open of bodies and new pets. */
import type { Ask } from '../ask/request.js';
import {
  answerOf,
  beyond,
  exchangeOf,
  measured,
  undecided,
  type Case,
  type Known,
} from '../case.js';
import type { Verdict } from '../types.js';
import * as ask from './asks.js';

export const createAssumptions: readonly Case[] = [
  {
    id: 'assumption.malformedJson',
    title: 'Answer to a body that is no JSON',
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
    title: 'Answer to a body of another content type',
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
      const told = wording(json);
      if (once !== twice)
        return undecided('the errors are worded otherwise each time', [400, 'accept']);
      // The body lacks a name as well: only an error that speaks of something else tells that it was not read.
      return told === once ? measured('accept', 'likely') : measured(400, 'likely');
    },
  },
  {
    id: 'assumption.maxBodyBytes',
    title: 'The longest body, in bytes',
    section: 'Add an animal',
    level: 'posts',
    after: ['create.400-missing'],
    judgesFailures: true,
    requests: (known: Known): readonly Ask[] => [ask.withoutName, ...tried(known)],
    judge: (known: Known): Verdict => {
      const at = tooLong(known);
      if (at === undefined)
        return undecided(`${ask.sizes.at(-1)} bytes are read: no bound was found below them`);
      return measured(ask.sizes[at]! - 1, 'bounded');
    },
  },
  {
    id: 'assumption.bodyTooLarge',
    title: 'Answer to a body that is too long',
    section: 'Add an animal',
    level: 'posts',
    after: ['create.400-missing'],
    judgesFailures: true,
    requests: (known: Known): readonly Ask[] => [ask.withoutName, ...tried(known)],
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
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => ask.ifAllowed(known, ask.controlPet),
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
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => ask.ifAllowed(known, ask.exactPet),
    judge: (known: Known): Verdict => {
      const { status } = answerOf(known, ask.exactPet)!;
      if (status === 201) return measured('any', 'likely');
      return undecided(
        `category 1 is taken, 9007199254740993 is answered ${status}: some categories only`,
      );
    },
  },
  {
    id: 'assumption.unknownBodyFields',
    title: 'Fields of a body that the interface does not name',
    section: 'Resources and their fields: NewPet',
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => ask.ifAllowed(known, ask.unknownFieldPet),
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
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => ask.ifAllowed(known, ask.specialNamePet),
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
    requests: (known: Known): readonly Ask[] =>
      [ask.emptyNamePet, ask.longNamePet].flatMap((pet) => ask.ifAllowed(known, pet)),
    judge: judgeNameLength,
  },
  {
    id: 'assumption.idAssignment',
    title: 'How id is assigned',
    section: 'Resources and their fields: Pet',
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] =>
      [ask.controlPet, ask.exactPet, ask.unknownFieldPet].flatMap((pet) =>
        ask.ifAllowed(known, pet),
      ),
    judge: (known: Known): Verdict => {
      const ids = ask.newPets.flatMap((pet) => {
        const answer = answerOf(known, pet);
        const id = (answer?.json as { id?: unknown } | undefined)?.id;
        return answer?.status === 201 && (typeof id === 'number' || typeof id === 'bigint')
          ? [BigInt(id)]
          : [];
      });
      if (ids.length < 2) return undecided('fewer than two pets were created');
      const steps = ids.slice(1).map((id, index) => id - ids[index]!);
      if (steps.every((step) => step === 1n)) return measured('sequential', 'likely');
      // Other programs add pets too: small steps upwards are a sequence with gaps.
      if (steps.every((step) => step > 0n && step < 1_000n))
        return measured('sequential', 'likely');
      return measured('random', 'likely');
    },
  },
];

/** The bodies up to the first that is answered otherwise than a short one. */
function tried(known: Known): readonly Ask[] {
  const at = tooLong(known);
  if (at !== undefined) return ask.padded.slice(0, at + 1);
  const asked = ask.padded.filter((request) => exchangeOf(known, request));
  return ask.padded.slice(0, asked.length + 1);
}

/** The place of the first size that is answered otherwise than a short body. */
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

function codeOf(json: unknown): unknown {
  return (json as { code?: unknown } | null | undefined)?.code;
}

function wording(json: unknown): string {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  return JSON.stringify([code, message]);
}

function judgeNameLength(known: Known): Verdict {
  const empty = answerOf(known, ask.emptyNamePet)!.status;
  const long = answerOf(known, ask.longNamePet)!.status;
  const least = empty === 201 ? 0 : 1;
  if (long === 201) return measured({ min: least, max: 0 }, 'likely');
  const listed = Math.max(0, ...(ask.listedPets(known) ?? []).map(({ name }) => name.length));
  return undecided(
    `an empty name → ${empty}, 10,001 characters → ${long}: the bound lies between ${listed} and 10,000`,
  );
}
