import { fieldsOf } from '../errors/redact.js';
import type { Issue } from '../errors/issues.js';
import type { RawResponse } from './fetch.js';

/** A function that the caller passed failed: `apiKey`, `headers`, `fetch` or a gate. */
export class CallbackError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** `timeout` or `totalTimeout` has passed. */
export class DeadlineExceeded extends Error {
  readonly option: 'timeout' | 'totalTimeout';
  /** The value of the option, for messages. */
  readonly ms: number;

  constructor(option: 'timeout' | 'totalTimeout', ms: number) {
    super(`${option} passed`);
    this.option = option;
    this.ms = ms;
  }
}

/** The status is a success, but the body does not match the contract. */
export class InvalidBodyFailure extends Error {
  readonly raw: RawResponse;
  readonly issues: readonly Issue[];

  constructor(message: string, raw: RawResponse, issues: readonly Issue[] = []) {
    super(message);
    this.raw = raw;
    this.issues = issues;
  }
}

/** Why there was no response, as a name for attempts and events. */
export function kindOf(failure: unknown): 'connection' | 'timeout' {
  return failure instanceof DeadlineExceeded ? 'timeout' : 'connection';
}

/** No other attempt follows after `totalTimeout`, or after a failure of a function of the caller. */
export function isFinal(failure: unknown): boolean {
  return failure instanceof DeadlineExceeded
    ? failure.option === 'totalTimeout'
    : failure instanceof CallbackError;
}

/** The codes of an error and its causes, outermost first, each after the system call that failed: `connect ECONNREFUSED`. */
export function codesOf(failure: unknown, depth = 0): string[] {
  if (typeof failure !== 'object' || failure === null || depth > 5) return [];
  const { code, syscall, cause, errors, message } = fieldsOf(failure);
  // Node's fetch refuses some ports, such as 6000, with an error that has no code.
  if (message === 'bad port') return ['bad port: fetch never connects to it'];
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].flatMap((one) =>
    codesOf(one, depth + 1),
  );
  if (typeof code !== 'string') return inner;
  return [typeof syscall === 'string' ? `${syscall} ${code}` : code, ...inner];
}

/** After another system call, such as `read EHOSTUNREACH`, the request may have been received. */
const notConnected =
  /^(?:connect |getaddrinfo |bad port|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** The code that says that the request was not sent, because connecting failed; `undefined` if it may have been sent. */
export function unconnectedCode(failure: unknown): string | undefined {
  return codesOf(failure).find((code) => notConnected.test(code));
}
