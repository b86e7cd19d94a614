/** The public shape of a verification. */
import type { MeasurableName } from './earlier-names.js';
import type { AssumptionsFile } from '../assumptions/file.js';

/** What a run may do besides GET requests: POSTs that must be refused, pets that stay, one 429 after the other. */
export type Permit = 'posts' | 'create' | 'rate-limit';

/** How sure a measured value is. */
export type Certainty = 'certain' | 'likely' | 'bounded' | 'partly';

/** What was found out about one statement or assumption. */
export type Verdict =
  /** The statement is true of every answer seen. */
  | { readonly verdict: 'holds' }
  /** The statement is not true. */
  | { readonly verdict: 'fails'; readonly why: string }
  /** The assumption has this value; `range`: the bounds that were found, in words, where the value is one end of them. */
  | {
      readonly verdict: 'measured';
      readonly value: unknown;
      readonly sure: Certainty;
      readonly range?: string;
    }
  /** The answers leave it open; `among`: the values that are still possible. */
  | { readonly verdict: 'undecided'; readonly why: string; readonly among?: readonly unknown[] }
  /** Something was seen that no value of the mock says; `nearest`: the value that comes closest. */
  | { readonly verdict: 'beyond'; readonly seen: string; readonly nearest?: unknown }
  /** Nothing was asked. */
  | { readonly verdict: 'not-asked'; readonly why: string };

/** A verdict with what it is about and what led to it. */
export type Finding = Verdict & {
  /** What was asked, in words. */
  readonly title: string;
  /** The section of the service interface, or the gap in it. */
  readonly section: string;
  /** The requests with their answers, one a line. */
  readonly evidence: readonly string[];
};

/** A finding about an assumption of the mock. */
export type AssumptionFinding = Finding & {
  /** The value that the mock has by default. */
  readonly default: unknown;
};

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

/** One request of a run with its answer, without keys, names of pets or other texts of the service. */
export interface RecordedExchange {
  /** The HTTP method. */
  readonly method: string;
  /** Behind the base path, with the query. */
  readonly path: string;
  /** Which API key the request had. */
  readonly key: 'own' | 'second' | 'invalid' | 'none';
  /** The body that was sent. */
  readonly body?: string;
  /** Its `Content-Type`. */
  readonly type?: string;
  /** When the request was sent, ms since the epoch. */
  readonly sentAt: number;
  /** When the response or the failure arrived, ms since the epoch. */
  readonly receivedAt: number;
  /** The status of the response; absent if there was none. */
  readonly status?: number;
  /** The headers of the response; absent if there was none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the response; absent if there was none. */
  readonly text?: string;
  /** Why there was no answer. */
  readonly failed?: string;
}

/** A run, request by request: what `--record` keeps. */
export interface Recording {
  /** The name and version of the format. */
  readonly format: 'petstore-recording/1';
  /** The origin of the service. */
  readonly origin: string;
  /** The path prefix of all requests. */
  readonly basePath: string;
  /** The requests with their responses, in order. */
  readonly exchanges: readonly RecordedExchange[];
}

/** What {@link verifyService} found out: plain data. */
export interface VerifyReport {
  /** The address that was asked, with the base path, without credentials or query. */
  readonly target: string;
  /** When the run began, as an ISO date. */
  readonly measuredAt: string;
  /** The statements of the interface, by the name of the case. */
  readonly statements: Readonly<Record<string, Finding>>;
  /** What the interface leaves open, by the name of the assumption. */
  readonly assumptions: Readonly<Record<MeasurableName, AssumptionFinding>>;
  /** How many requests were sent. */
  readonly requests: number;
  /** How many of them were answered 429. */
  readonly rateLimited: number;
  /** How long the run took, ms. */
  readonly duration: number;
  /** Ids of the pets that were created. They stay: the interface has no DELETE. */
  readonly petsCreated: readonly string[];
  /** What the mock with the measured values answers differently; undefined when it was not compared, and with `only` where the values that were left out make a difference. */
  readonly differences: readonly Difference[] | undefined;
  /** How many answers were compared. */
  readonly compared: number;
  /** What differs from the file of an earlier run: see {@link VerifyOptions.recorded}. */
  readonly drift: readonly Drift[];
  /** How many values the file of an earlier run has, how many of them were compared, and how many were not asked for; undefined without a file. */
  readonly checked:
    { readonly values: number; readonly compared: number; readonly notAsked: number } | undefined;
  /** Why the run ended before everything was asked. */
  readonly stopped: string | undefined;
  /** 0: all statements hold. 1: a statement fails, or there is drift. 3: inconclusive. (2 is a mistake on the command line.) */
  readonly exitCode: 0 | 1 | 3;
  /** The measured values, for `createMockService({ assumptions })`, and for a file. */
  readonly measured: AssumptionsFile;
  /** Every request with its answer. */
  readonly recording: Recording;
}

/** How far a run is. */
export interface Progress {
  /** The case that is asked. */
  readonly name: string;
  /** Which one it is, from 1. */
  readonly number: number;
  /** The number of cases in the run. */
  readonly of: number;
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
  /** What the run may do besides GET requests. Default: nothing. */
  readonly allow?: readonly Permit[];
  /**
   * The most requests that a run sends, of every kind, 1 to 1,000. Default 40; 20 more with `allow: ['posts']` or `['create']`,
   * and 140 more with `['rate-limit']`, which is enough for the Free plan. When the requests that are left do not suffice to
   * reach the limit of the key, the run does not begin to.
   */
  readonly maxRequests?: number;
  /** The most pets that `allow: ['create']` makes, 1 or more. Default 3. */
  readonly maxPets?: number;
  /** ms for one request, to the last byte of its body. Default 10,000. */
  readonly timeout?: number;
  /** Only the cases whose name is one of these, or begins with one of them and a dot, and assumptions: `['list', 'invalidLimit']`. A name that no case has is a TypeError. */
  readonly only?: readonly string[];
  /** The file of an earlier run: values that differ from it are drift. */
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
