import { describeAsk, type AskName } from '../asks.js';
import type { Answer, Answered, Exchanges } from '../ask/exchange.js';
import type { MockPet } from '../../pets/pet.js';

/** A statement that the answers say too little of, with the reason. */
export interface NotJudged {
  readonly notJudged: string;
}

export const notJudged = (why: string): NotJudged => ({ notJudged: why });

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

/** True of each answer; `wrong`: what is wrong with one of them. `of`: which ones are looked at. */
export const each =
  (wrong: (answer: Answer) => string | undefined, of = /^/): Judge =>
  ({ own }) => {
    const broken = own.flatMap(({ ask, answer }) => {
      const what = of.test(ask.path) ? wrong(answer) : undefined;
      return what === undefined ? [] : [`${describeAsk(ask)} → ${answer.status}: ${what}`];
    });
    return broken.length === 0
      ? undefined
      : `${broken.length} of ${own.length} answers: ${broken[0]}`;
  };

/** Of the three operations: the interface says nothing of other paths. */
export const eachOfPets = (wrong: (answer: Answer) => string | undefined): Judge =>
  each(wrong, /^\/pets(?:[/?]|$)/);
