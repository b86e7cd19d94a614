/** The public shape of a verification. */
import type { AssumptionsFile } from '../assumptions/file.js';

/** What a run may do besides GET requests: POSTs that must be refused, pets that stay, one 429. */
export type Permit = 'posts' | 'create' | 'rate-limit';

/** What was found out about a statement of the interface. */
export interface StatementFinding {
  /** `'holds'`: true of every answer that was looked at. `'not judged'`: the answers say too little, or were not asked for. */
  readonly verdict: 'holds' | 'fails' | 'not judged';
  /** The statement. */
  readonly title: string;
  /** Where the service interface says it. */
  readonly section: string;
  /** What is wrong, or why it was not judged. */
  readonly why?: string;
}

/** What was found out about an assumption of the mock. */
export interface AssumptionFinding {
  /**
   * `'measured'`: of all candidates only this value answers as the service does. `'open'`: several do, or none. `'not asked'`: no
   * request that would show it was sent.
   */
  readonly verdict: 'measured' | 'open' | 'not asked';
  /** The measured value. */
  readonly value?: unknown;
  /** Of an open assumption, the values that remain; none where the service does what the mock cannot do. */
  readonly among?: readonly unknown[];
  /** Why it is open or was not asked, and the flag that would ask it. */
  readonly why?: string;
  /** The value that the mock has by default. */
  readonly default: unknown;
}

/** An answer that the mock with the measured values gives differently from the service. */
export interface Difference {
  /** The request. */
  readonly request: string;
  /** What the service answered. */
  readonly service: string;
  /** What the mock answers. */
  readonly mock: string;
}

/** An assumption whose value is another one than in the file of an earlier run. */
export interface Drift {
  /** The name of the assumption. */
  readonly assumption: string;
  /** Its value in the file. */
  readonly was: unknown;
  /** Its value in this run. */
  readonly is: unknown;
}

/** What {@link verifyService} found out: plain data, without keys, names of pets or texts of errors. */
export interface VerifyReport {
  /** The address that was asked, with the base path, without credentials or query. */
  readonly target: string;
  /** When the run began, as an ISO date. */
  readonly measuredAt: string;
  /** The statements of the interface, by name. */
  readonly statements: Readonly<Record<string, StatementFinding>>;
  /** What the interface leaves open, by the name of the assumption. */
  readonly assumptions: Readonly<Record<string, AssumptionFinding>>;
  /** How many requests were sent. */
  readonly requests: number;
  /** How many of them were answered 429. */
  readonly rateLimited: number;
  /** How long the run took, ms. */
  readonly duration: number;
  /** Ids of the pets that were created. They stay: the interface has no DELETE. */
  readonly petsCreated: readonly string[];
  /** What the mock with the measured values answers differently; undefined when nothing was compared, and with `only`. */
  readonly differences: readonly Difference[] | undefined;
  /** What differs from the file of an earlier run; undefined without one: the option `recorded`. */
  readonly drift: readonly Drift[] | undefined;
  /** Why the run ended before everything was asked. */
  readonly stopped: string | undefined;
  /** 0: all statements that were judged hold. 1: a statement fails, or there is drift. 2: the service could not be asked. */
  readonly exitCode: 0 | 1 | 2;
  /** The measured values, for `createMockService({ assumptions })`, and for a file. */
  readonly measured: AssumptionsFile;
}
