/** A statement of the service interface, and how it is judged. */
import { afterwards, burst, describeAsk, type AskName } from '../asks.js';
import {
  answerOf,
  isAnswered,
  petsOf,
  type Answer,
  type Answered,
  type Exchanges,
  type SeenPet,
} from '../ask/exchange.js';

/** A statement that the answers say too little of, with the reason. */
export interface NotJudged {
  readonly notJudged: string;
}

/** Undefined: it holds. A text: what is wrong. */
export type Outcome = string | undefined | NotJudged;

/** One sentence of the interface. */
export interface Statement {
  /** `'list.default-20'`: what stands before the dot is a group. */
  readonly id: string;
  readonly title: string;
  /** Where the service interface says it. */
  readonly section: string;
  /** What is asked; `'all'`: every answer is looked at. Not judged unless all of them were answered. */
  readonly asks: readonly AskName[] | 'all' | 'limit';
  /** Whether it holds, once `GET /pets` has given a list of pets. */
  readonly judge: (seen: Look) => Outcome;
}

/** What a judge sees of a run. */
export interface Look {
  readonly exchanges: Exchanges;
  readonly basePath: string;
  /** The answer to a request that the statement asks for. */
  readonly of: (name: AskName) => Answer;
  /** The pets of a list that the statement asks for; undefined where it is none. */
  readonly pets: (name: AskName) => readonly SeenPet[] | undefined;
}

export const lookAt = (exchanges: Exchanges, basePath: string): Look => ({
  exchanges,
  basePath,
  of: (name) => answerOf(exchanges, name)!,
  pets: (name) => petsOf(answerOf(exchanges, name)),
});

export const notJudged = (why: string): NotJudged => ({ notJudged: why });

/** A statement as a row of a table. */
export const statement = (
  id: string,
  title: string,
  section: string,
  asks: Statement['asks'],
  judge: Statement['judge'],
): Statement => ({ id, title, section, asks, judge });

/** All requests of a statement must get this status. */
export const allGet =
  (status: number, section: string) =>
  (id: string, title: string, ...asks: readonly AskName[]): Statement => ({
    id,
    title,
    section,
    asks,
    judge: ({ exchanges }) => {
      const other = exchanges.filter(
        ({ ask, answer }) =>
          asks.includes(ask.name as AskName) && answer && answer.status !== status,
      );
      return problem(other.map(({ ask, answer }) => `${describeAsk(ask)} → ${answer!.status}`));
    },
  });

/** A statement about every answer; `wrong`: what is wrong with one of them. */
export const ofEveryAnswer = (
  id: string,
  title: string,
  section: string,
  wrong: (exchange: Answered) => string | undefined,
): Statement => ({
  id,
  title,
  section,
  asks: 'all',
  judge: ({ exchanges }) => {
    const all = exchanges.filter(isAnswered).filter(({ answer }) => answer.status < 500);
    const broken = all.flatMap((exchange) => {
      const what = wrong(exchange);
      return what === undefined ? [] : [{ exchange, what }];
    });
    const [first] = broken;
    if (!first) return undefined;
    const { ask, answer } = first.exchange;
    return `${broken.length} of ${all.length} answers: ${describeAsk(ask)} → ${answer.status}: ${first.what}`;
  },
});

/** What is wrong, in one line; nothing where the list is empty. */
export const problem = (parts: readonly string[]): string | undefined =>
  parts.length === 0 ? undefined : parts.join('; ');

/** The fields of a pet that are not as they were expected. */
export const otherFields = (is: unknown, expected: unknown, names: readonly string[]): string[] => {
  const [got, wanted] = [is ?? {}, expected ?? {}] as Record<string, unknown>[];
  return names.filter((name) => got![name] !== wanted![name]);
};

/** The 429 of the burst, and what came after the wait that it announced. */
export function limitOf(exchanges: Exchanges): {
  sent: number;
  refused: Answer | undefined;
  last: Answer | undefined;
  after: Answer | undefined;
} {
  const of = ({ name }: { name: string }) => exchanges.filter(({ ask }) => ask.name === name);
  return {
    sent: of(burst).length,
    refused: of(burst).find(({ answer }) => answer?.status === 429)?.answer,
    last: of(burst).at(-1)?.answer,
    after: of(afterwards)[0]?.answer,
  };
}
