import type { ErrorDetails } from '../errors/errors.js';
import { singleLine } from '../errors/redact.js';
import { isSafeMethod } from '../http/build-request.js';
import { isMockKey } from '../options/address.js';
import type { CallContext } from './call-context.js';

/** The largest number of characters that an error keeps of a body, of an issue, and of a message of the service. */
export const shownText = 1_000;
export const shownIssue = 500;
export const shownMessage = 200;

/** For a request that another server than the mock may have received. */
export const mockHint =
  'if the mock should answer: is the mock started, and does its baseUrl hold this address?';

/** True if the newest key of a call is one that every mock service knows. */
export function usesMockKey({ keys }: CallContext): boolean {
  return isMockKey(keys.at(-1));
}

/** The beginning of the message of every error of a call, such as `createPet on staging`. */
export function subject(context: CallContext): string {
  return `${context.text(context.operation)} on ${context.config.label}`;
}

/** The message of an error of a call, in one line: what happened, after how many attempts, and what to do next. */
export function messageOf(context: CallContext, what: string, next?: string): string {
  const { length } = context.attempts;
  const count = length > 1 ? ` (${length} attempts)` : '';
  return singleLine(`${subject(context)}: ${what}${count}${next === undefined ? '' : `; ${next}`}`);
}

/** What to do after a failure that leaves open whether the request was processed. */
export function nextStep<T>({ request, isUnsure }: CallContext, ifSafe: T): T | string {
  return isSafeMethod(request) || !isUnsure
    ? ifSafe
    : 'it may have been processed: check before you send it again';
}

/** The identifier that the service gave the request, for a report. */
export function requestIdOf({ headers }: Response, context: CallContext): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  return id === null ? undefined : context.text(id, shownMessage);
}

/** The details that every error of a call has. The address has no query, which may hold private values. */
export function errorDetails(context: CallContext): ErrorDetails {
  const { operation, attempts, request } = context;
  return {
    operation: context.text(operation),
    attempts,
    url: request && context.text(request.url.replace(/\?.*/, '')),
    curl: toCurl(context),
  };
}

/** The request of a call as a `curl` command that can be pasted. It contains a shell variable in place of the API key. */
function toCurl(context: CallContext): string | undefined {
  const { request } = context;
  if (request === undefined) return undefined;
  const words = [
    // -g: curl does not treat brackets and braces in an address as patterns.
    request.method === 'HEAD' ? 'curl -g --head' : `curl -g -i -X ${request.method}`,
    quote(context.text(request.url)),
    `-H "Authorization: Bearer $PETSTORE_API_KEY"`,
  ];
  if (typeof request.body === 'string')
    words.push(
      `-H 'Content-Type: ${request.contentType}'`,
      `--data-raw ${quote(context.text(request.body))}`,
    );
  else if (request.body !== undefined) words.push('--data-binary @BODY');
  return words.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
