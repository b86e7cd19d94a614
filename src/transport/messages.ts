import { isHarmless } from '../http/build-request.js';
import type { Run } from './call-context.js';

/** Most characters that an error keeps of a body, and that a message takes over from the service. */
export const shownText = 1_000;
export const shownMessage = 200;

/** `createPet on staging`: how the message of every error of a call begins. */
export function about({ operation, config, scrub }: Run): string {
  return `${scrub.text(operation)} on ${config.label}`;
}

export function tries({ attempts }: Run): string {
  return attempts.length > 1 ? ` (${attempts.length} attempts)` : '';
}

/** What to do after a failure that leaves open whether the request was processed. */
export function advice({ request }: Run, ifHarmless: string): string {
  return request !== undefined && isHarmless(request) ? ifHarmless : 'it may have been processed: look before sending it again';
}

/** A message in one line: what a service or a runtime says may hold line breaks, and codes that steer a terminal. */
export function line(message: string): string {
  return message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
