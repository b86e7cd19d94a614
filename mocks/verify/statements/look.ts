import type { AskName } from '../asks.js';
import type { Answer, Answered, Exchanges } from '../ask/exchange.js';
import type { MockPet } from '../../pets/pet.js';

/** A statement that the answers say too little of, with the reason. */
export interface NotJudged {
  readonly notJudged: string;
}

/** Undefined: it holds. A text: what is wrong. */
export type Outcome = string | undefined | NotJudged;

/** Whether a statement holds. */
export type Judge = (seen: Look) => Outcome;

/** What a judge sees of a run. */
export interface Look {
  readonly exchanges: Exchanges;
  readonly basePath: string;
  /** The answers that show the statement; without a request of its own, all that are no outage. */
  readonly own: readonly Answered[];
  /** The answer to a request that shows the statement. */
  readonly of: (name: AskName) => Answer;
  /** The pets of a list; undefined where it is none. */
  readonly pets: (name: AskName) => readonly MockPet[] | undefined;
}

export const notJudged = (why: string): NotJudged => ({ notJudged: why });
