import type { ErrorDetails } from '../errors/errors.js';
import { isSafeMethod } from '../http/build-request.js';
import { isMockKey } from '../options/api-key.js';
import type { CallContext } from './call-context.js';

/** The largest number of characters that an error keeps of a body, of an issue, and of a message of the service. */
export const shownText = 1_000;
export const shownIssue = 500;
export const shownMessage = 200;

/** For a request that another server than the mock may have received. */
export const mockHint =
  'if the mock should answer: is the mock started, and does its baseUrl hold this address?';

/** True if the newest key of a call is one that every mock service knows. */
export function usesMockKey({ key, config }: CallContext): boolean {
  return isMockKey(key ?? config.apiKey);
}

/** The beginning of the message of every error of a call, such as `createPet on staging`. */
export function subject({ operation, config, redactor }: CallContext): string {
  return `${redactor.text(operation)} on ${config.label}`;
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
    : 'it may have been processed: check whether it was processed before you send it again';
}

/** A message in one line, because a text of a service or a runtime may contain line breaks and terminal escape codes. */
export function singleLine(message: string): string {
  return message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** The details that every error of a call has. */
export function errorDetails(context: CallContext): ErrorDetails {
  return {
    operation: context.redactor.text(context.operation),
    attempts: context.attempts,
    url: shownUrl(context),
    curl: toCurl(context),
  };
}

/** The address of the request, without its query. */
function shownUrl({ request, redactor }: CallContext): string | undefined {
  return request && redactor.text(request.url.replace(/\?.*/, ''));
}

/** The request of a call as a `curl` command that can be pasted. It contains a shell variable in place of the API key. */
function toCurl({ request, redactor }: CallContext): string | undefined {
  if (request === undefined) return undefined;
  const words = [
    // -g: curl does not treat brackets and braces in an address as patterns.
    request.method === 'HEAD' ? 'curl -g --head' : `curl -g -i -X ${request.method}`,
    quote(redactor.text(request.url)),
    `-H "Authorization: Bearer $PETSTORE_API_KEY"`,
  ];
  if (request.body !== undefined)
    words.push(
      `-H 'Content-Type: application/json'`,
      `--data-raw ${quote(redactor.text(request.body))}`,
    );
  return words.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
