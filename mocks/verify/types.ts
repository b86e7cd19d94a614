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
  /** The requests that show it with their answers, one a line. */
  readonly evidence: readonly string[];
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
  /** What differs from the file of an earlier run; undefined without one: see {@link VerifyOptions.recorded}. */
  readonly drift: readonly Drift[] | undefined;
  /** Why the run ended before everything was asked. */
  readonly stopped: string | undefined;
  /** 0: all statements that were judged hold. 1: a statement fails, or there is drift. 2: the service could not be asked. */
  readonly exitCode: 0 | 1 | 2;
  /** The measured values, for `createMockService({ assumptions })`, and for a file. */
  readonly measured: AssumptionsFile;
}

/** How far a run is. */
export interface Progress {
  /** The name of the request that is sent next. */
  readonly name: string;
  /** Requests sent so far. */
  readonly requests: number;
  /** The largest number of requests that the run may send. */
  readonly maxRequests: number;
  /** Requests left in the window, where the service has said so. */
  readonly remaining: number | undefined;
  /** How long the run waits now, ms, and for what. */
  readonly waits?: { readonly ms: number; readonly why: string };
}

/** What {@link verifyService} takes. */
export interface VerifyOptions {
  /** The address of the service, without the base path: `https://staging.petstore.example`. Plain `http:` only to this machine. */
  readonly baseUrl: string;
  /** What stands before the paths of the operations. Default `/v1`; an address that ends in it is taken as it is. */
  readonly basePath?: string;
  /** The API key. Default: `PETSTORE_API_KEY` of the environment. */
  readonly apiKey?: string;
  /** A second key, which shows whether requests are counted for each key. */
  readonly secondKey?: string;
  /** What the run may do besides GET requests. Default: nothing. `'create'` includes `'posts'`. */
  readonly allow?: readonly Permit[];
  /**
   * The most requests that a run sends, of every kind, 1 to 1,000. Default 40; 20 more with `allow: ['posts']` or `['create']`,
   * and 80 more with `['rate-limit']`: enough for a key of the Free plan. Where the requests that are left do not suffice to
   * reach the limit of the key, the run does not begin to.
   */
  readonly maxRequests?: number;
  /** ms for one request, to the last byte of its body. Default 10,000. */
  readonly timeout?: number;
  /** Only these statements, groups of statements, and assumptions: `['list', 'unknownQuery']`. A name that does not exist is a TypeError. */
  readonly only?: readonly string[];
  /** The file of an earlier run: measured values that differ from it are drift. */
  readonly recorded?: AssumptionsFile;
  /** A function with the shape of `fetch`. Default: `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The clock for all waits, ms. Default: the system's. Give the clock of a mock service where its time is virtual. */
  readonly clock?: {
    /** Returns the time in ms since the epoch. */
    now(): number;
    /** Resolves after this time in ms, and rejects when the signal is aborted. */
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
  };
  /** Ends the run: the report has what was found out so far. */
  readonly signal?: AbortSignal;
  /** Called before each request and wait. */
  readonly onProgress?: (progress: Progress) => void;
}
