import { isSafeMethod } from '../http/build-request.js';
import type { CallContext } from './call-context.js';

/** Most characters that an error keeps of a body, and that a message takes over from the service. */
export const shownText = 1_000;
export const shownMessage = 200;

/** `createPet on staging`: how the message of every error of a call begins. */
export function subject({ operation, config, redactor }: CallContext): string {
  return `${redactor.text(operation)} on ${config.label}`;
}

export function attemptCount({ attempts }: CallContext): string {
  return attempts.length > 1 ? ` (${attempts.length} attempts)` : '';
}

/** What to do after a failure that leaves open whether the request was processed. */
export function nextStep({ request }: CallContext, ifHarmless: string): string {
  return request !== undefined && isSafeMethod(request)
    ? ifHarmless
    : 'it may have been processed: look before sending it again';
}

/** A message in one line: what a service or a runtime says may hold line breaks, and codes that steer a terminal. */
export function singleLine(message: string): string {
  return message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
