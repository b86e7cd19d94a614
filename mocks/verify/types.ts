/** The public shape of a verification. */
import type { AssumptionsFile } from '../assumptions/file.js';

/**
 * What a run may do besides GET requests. `posts`: POST requests that the service must refuse. `create`: new pets, which
 * stay. `rate-limit`: trigger one 429.
 */
export type Permit = 'posts' | 'create' | 'rate-limit';

/** The result for one statement of the interface. */
export interface StatementFinding {
  /**
   * `'holds'`: no examined response contradicts the statement. `'not judged'`: the responses do not show it, or the
   * requests were not sent.
   */
  readonly verdict: 'holds' | 'fails' | 'not judged';
  /** The statement. */
  readonly title: string;
  /** The section of the service interface that contains it. */
  readonly section: string;
  /** What is wrong, or why it was not judged. */
  readonly why?: string;
}

/** The result for one assumption of the mock. */
export interface AssumptionFinding {
  /**
   * `'measured'`: of all candidates, only this value gives the responses of the service. `'open'`: several values do, or
   * none. `'not asked'`: the run sent no request that shows the value.
   */
  readonly verdict: 'measured' | 'open' | 'not asked';
  /** The measured value. */
  readonly value?: unknown;
  /** The remaining values of an open assumption; empty if the mock cannot behave like the service. */
  readonly among?: readonly unknown[];
  /** Why it is open or was not asked, and the flag that sends the missing requests. */
  readonly why?: string;
  /** The default of the mock. */
  readonly default: unknown;
}

/** A response in which the mock with the measured values differs from the service. */
export interface Difference {
  /** The request. */
  readonly request: string;
  /** The response of the service. */
  readonly service: string;
  /** The response of the mock. */
  readonly mock: string;
}

/** An assumption whose value differs from the file of an earlier run. */
export interface Drift {
  /** The name of the assumption. */
  readonly assumption: string;
  /** Its value in the file. */
  readonly was: unknown;
  /** Its value in this run. */
  readonly is: unknown;
}

/** The result of {@link verifyService}: plain data, without keys, names of pets or error texts. */
export interface VerifyReport {
  /** The verified address, with the base path, without credentials or query. */
  readonly target: string;
  /** When the run began, as an ISO date. */
  readonly measuredAt: string;
  /** The statements of the interface, by name. */
  readonly statements: Readonly<Record<string, StatementFinding>>;
  /** The assumptions, by name. */
  readonly assumptions: Readonly<Record<string, AssumptionFinding>>;
  /** How many requests were sent. */
  readonly requests: number;
  /** How many of them received a 429. */
  readonly rateLimited: number;
  /** How long the run took, ms. */
  readonly duration: number;
  /** Ids of the pets that were created. They stay: the run removes none. */
  readonly petsCreated: readonly string[];
  /**
   * The differences between the service and the mock with the measured values; undefined if nothing was compared, as
   * with `only`.
   */
  readonly differences: readonly Difference[] | undefined;
  /** The differences from the file of an earlier run (the option `recorded`); undefined without one. */
  readonly drift: readonly Drift[] | undefined;
  /** Why the run ended before it had sent all requests. */
  readonly stopped: string | undefined;
  /** 0: all statements that were judged hold. 1: a statement fails, or there is drift. 2: the service could not be checked. */
  readonly exitCode: 0 | 1 | 2;
  /** The measured values, for `createMockService({ assumptions })`, and for a file. */
  readonly measured: AssumptionsFile;
}
