/** A request of a run, and its response. */
import type { MockPet } from '../../pets/pet.js';
import { PetSchema } from '../../../src/contract/index.js';
import type { ResponseContext } from '../../../src/contract/schema-builders.js';
import type { Ask, AskName } from '../asks.js';
import type { Times } from './rate.js';

/** An answer, without the keys. */
export interface ReceivedAnswer extends Times {
  readonly status: number;
  /** The headers, by name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body read as JSON with exact int64; undefined where it is none. */
  readonly json: unknown;
}

/** One request with its answer, or why there is none. Times are ms since the epoch on the clock of this machine. */
export interface Exchange {
  readonly ask: Ask;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly answer?: ReceivedAnswer;
  readonly failed?: string;
}

export type Answered = Exchange & { readonly answer: ReceivedAnswer };

/** Everything that was asked so far, in order. */
export type Exchanges = readonly Exchange[];

export const isAnswered = (exchange: Exchange): exchange is Answered =>
  exchange.answer !== undefined;

export function answerOf(
  exchanges: readonly Pick<Exchange, 'ask' | 'answer'>[],
  name: AskName,
): ReceivedAnswer | undefined {
  return exchanges.find(({ ask }) => ask.name === name)?.answer;
}

const anyStatus: ResponseContext = { validation: 'tolerant' };

/** True for an object with the fields of a pet: its status may be any text. */
export const isPet = (value: unknown): value is MockPet =>
  PetSchema.safeParse(value, anyStatus).success;

/** The pets of a list; undefined where the answer is no list of them. */
export function petsOf(answer: ReceivedAnswer | undefined): readonly MockPet[] | undefined {
  if (answer?.status !== 200 || !Array.isArray(answer.json)) return undefined;
  return answer.json.every(isPet) ? answer.json : undefined;
}

/** The pet that an answer says was created. */
export function createdPet(answer: ReceivedAnswer | undefined): MockPet | undefined {
  return answer?.status === 201 && isPet(answer.json) ? answer.json : undefined;
}

/** True when a cache has answered: what it says of time and quota is of an earlier answer. */
export const isCached = ({ answer }: Pick<Exchange, 'answer'>): boolean =>
  Number(answer?.headers['age'] ?? 0) > 0;
