import { isInt64 } from '../../src/contract/int64.js';
import type { MeasurableName } from './earlier-names.js';
import type { SeedPet } from '../pets/pet.js';
import { type Answer, type Ask, describeAsk, type Exchange, identityOf } from './ask/request.js';
import type { Fit } from './windows/fit.js';
import type { Certainty, Verdict } from './types.js';
import { type Rate, readRate } from './ask/rate.js';

/** A pet in an answer. */
export interface SeenPet {
  readonly id: number | bigint;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status?: string;
}

/** What is known so far: every request with its answer, in the order they were sent. */
export interface Known {
  readonly exchanges: readonly Exchange[];
  /** Which windows of the mock explain the headers; undefined before they were fitted. */
  readonly fit: Fit | undefined;
  /** How many pets may be created. */
  readonly maxPets: number;
  /** How many requests the run may send in all. */
  readonly maxRequests: number;
  readonly hasSecondKey: boolean;
  /** What stands before the paths. */
  readonly basePath: string;
}

/** What a case needs to be allowed. `'never'`: it is not asked at all. */
export type CaseLevel = 'get' | 'posts' | 'create' | 'rate-limit' | 'never';

/** One question to the service, as data, with the judge of its answers. */
export interface Case {
  /** `'list.default-20'`, or `'assumption.'` and the name of one. */
  readonly id: string;
  readonly title: string;
  /** The section of the service interface, or the gap. */
  readonly section: string;
  readonly level: CaseLevel;
  /** Why nothing is asked, for the level `'never'`. */
  readonly why?: string;
  /** Cases that must hold, or be measured, before this one is judged. */
  readonly after?: readonly string[];
  /** True where every answer is looked at, so that the requests of the case are no evidence. */
  readonly isPassive?: true;
  /** True where a request without an answer, or an outage, is for the judge to look at. */
  readonly judgesFailures?: true;
  /** What is to be asked, going by what is known; asked again until nothing new comes. */
  requests(known: Known): readonly Ask[];
  /** Pure: judges a recorded run again, offline. */
  judge(known: Known): Verdict;
}

/** The exchange of a request, if it was sent. */
export function exchangeOf(known: Known, ask: Ask): Exchange | undefined {
  const identity = identityOf(ask);
  return known.exchanges.find((exchange) => identityOf(exchange.ask) === identity);
}

/** The answer to a request, if there was one. */
export function answerOf(known: Known, ask: Ask): Answer | undefined {
  return exchangeOf(known, ask)?.answer;
}

/** An exchange with an answer. */
export type Answered = Exchange & { readonly answer: Answer };

/** The exchanges that were answered. */
export function answered(known: Known): Answered[] {
  return known.exchanges.filter((exchange): exchange is Answered => exchange.answer !== undefined);
}

/** The pets of a list; undefined where the answer is no list of them. */
export function petsOf(answer: Answer | undefined): readonly SeenPet[] | undefined {
  if (answer?.status !== 200 || !Array.isArray(answer.json)) return undefined;
  return answer.json.every(isPet) ? answer.json : undefined;
}

/** True for an object with a name and two int64. */
export function isPet(value: unknown): value is SeenPet {
  const { id, name, categoryId, status } = (value ?? {}) as Record<string, unknown>;
  return (
    isInteger(id) &&
    isInteger(categoryId) &&
    typeof name === 'string' &&
    (status === undefined || typeof status === 'string')
  );
}

/** True for a pet that the mock can hold. */
export function isSeedPet(value: unknown): value is SeenPet & SeedPet {
  return (
    isPet(value) &&
    isInt64(value.id) &&
    isInt64(value.categoryId) &&
    (value.status === undefined || /^(?:available|pending|sold)$/.test(value.status))
  );
}

function isInteger(value: unknown): value is number | bigint {
  return Number.isSafeInteger(value) || typeof value === 'bigint';
}

/** The `code` in the body of an error. */
export function codeOf(json: unknown): unknown {
  return (json as { code?: unknown } | null | undefined)?.code;
}

/** The id of the pet that an answer says was created; undefined where it created none, or says no id. */
export function createdId(answer: Answer | undefined): number | bigint | undefined {
  const id = (answer?.json as { id?: unknown } | null | undefined)?.id;
  return answer?.status === 201 && isInteger(id) ? id : undefined;
}

/** A pet without the fields that the interface does not name. */
export function knownFields({
  id,
  name,
  categoryId,
  status,
}: SeenPet & SeedPet): SeenPet & SeedPet {
  return { id, name, categoryId, ...(status !== undefined && { status }) };
}

/** What the headers of answers say of the quota. */
export function ratesOf(known: Known, isOf: (exchange: Answered) => boolean): Rate[] {
  return answered(known)
    .filter(isOf)
    .flatMap(({ answer, receivedAt }) => readRate(answer, receivedAt) ?? []);
}

/** The limits in the headers of answers, each once. */
export function limitsOf(known: Known, isOf: (exchange: Answered) => boolean): number[] {
  return [...new Set(ratesOf(known, isOf).map(({ limit }) => limit))];
}

export const holds: Verdict = { verdict: 'holds' };
export const fails = (why: string): Verdict => ({ verdict: 'fails', why });
export const measured = (value: unknown, sure: Certainty = 'certain', range?: string): Verdict => ({
  verdict: 'measured',
  value,
  sure,
  ...(range !== undefined && { range }),
});
export const undecided = (why: string, among?: readonly unknown[]): Verdict => ({
  verdict: 'undecided',
  why,
  ...(among && { among }),
});
export const beyond = (seen: string, nearest?: unknown): Verdict => ({
  verdict: 'beyond',
  seen,
  ...(nearest !== undefined && { nearest }),
});
export const notAsked = (why: string): Verdict => ({ verdict: 'not-asked', why });

/** What stands before the name of an assumption in the name of its case. */
export const assumptionPrefix = 'assumption.';

/** The name of the assumption that a case is about, if it is about one. */
export function assumptionOf({ id }: Case): MeasurableName | undefined {
  const [, name] = id.split(assumptionPrefix);
  return name as MeasurableName | undefined;
}

/** A case whose requests must all be answered with one status. */
export const allGet =
  (status: number, section: string) =>
  (id: string, title: string, requests: readonly Ask[], level: CaseLevel): Case => ({
    id,
    title,
    section,
    level,
    after: ['reach'],
    requests: () => requests,
    judge: (known) => {
      const other = requests.flatMap((request) => {
        const got = answerOf(known, request)!.status;
        return got === status ? [] : [`${describeAsk(request)} → ${got}`];
      });
      return other.length === 0 ? holds : fails(other.join('; '));
    },
  });
