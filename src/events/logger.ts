import type { PetStoreEvent } from './events.js';

/** The levels, from the least to the most severe. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const;

/** The least severe level that is logged. `'off'`: nothing is logged. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Receives messages about events: `console`, a pino logger, or any object with these four methods. Each receives a
 * message of one line, and the event as the second argument. A logger with a function `bindings`, such as those of pino
 * and Fastify, receives the event first, as pino expects it.
 */
export interface Logger {
  /** Called for each request, each response, and the end of each call. */
  debug(message: string, ...details: unknown[]): void;
  /** Called for each retry, for a wait of a second without a hold, and at the end of a hold. */
  info(message: string, ...details: unknown[]): void;
  /** Called when a hold of the rate limit begins, for a deprecated operation, and for unknown fields and statuses. */
  warn(message: string, ...details: unknown[]): void;
  /** Not called at present: the caller receives the error and decides whether to log it. */
  error(message: string, ...details: unknown[]): void;
}

/** A listener that writes each event to `logger`, if it is as severe as `level`. */
export function logListener(logger: Logger, level: LogLevel): (event: PetStoreEvent) => void {
  const lowest = logLevels.indexOf(level);
  // Pino drops an object after the message.
  const isPino = 'bindings' in logger;
  const describe = lines as Record<PetStoreEvent['type'], (event: PetStoreEvent) => Line>;
  return (event) => {
    const [eventLevel, message] = describe[event.type](event);
    if (logLevels.indexOf(eventLevel) < lowest) return;
    const call = 'call' in event ? `${event.operation} (call ${event.call}): ` : '';
    const line = `petstore-client: ${call}${message}`;
    const details = isPino ? [event, line] : [line, event];
    return logger[eventLevel](...(details as [string, unknown]));
  };
}

type Line = readonly [level: 'debug' | 'info' | 'warn', message: string];

/** Level and message of each event. */
const lines: { readonly [Event in PetStoreEvent as Event['type']]: (event: Event) => Line } = {
  request: ({ attempt, method, url, waited, cause }) => {
    const wait = cause === undefined ? '' : ` after a wait of ${Math.round(waited)} ms (${cause})`;
    return ['debug', `attempt ${attempt}${wait}, ${method} ${url}`];
  },
  response: ({ attempt, status, failure, took, requestId }) => {
    const id = requestId === undefined ? '' : `, request id ${requestId}`;
    const of = status === undefined ? '' : ` (${status})`;
    const result = failure === undefined ? status : `failed: ${failure}${of}`;
    return ['debug', `attempt ${attempt}, ${result} after ${Math.round(took)} ms${id}`];
  },
  retry: ({ attempt, delay, reason }) => [
    'info',
    `attempt ${attempt} after ${Math.round(delay)} ms, because of ${reason}`,
  ],
  'rate-limit-hold': ({ delay, until, cause }) => [
    'warn',
    `calls wait ${Math.ceil(delay / 1_000)} s for the rate limit (${cause}), until ${until.toISOString()}`,
  ],
  'rate-limit-resume': () => ['info', 'calls no longer wait for the rate limit'],
  'rate-limit-wait': ({ cause }) => ['info', `has waited 1 s for the rate limit (${cause})`],
  drift: ({ kind, value }) => ['warn', `the service sent an unknown ${kind}: ${value}`],
  deprecated: ({ removedOn, replacement }) => [
    'warn',
    `will be removed on ${removedOn}: use ${replacement}`,
  ],
  'call-end': ({ outcome, error = outcome, reason, took }) => {
    const why = reason === undefined ? '' : ` (${reason})`;
    return ['debug', `${error}${why} after ${Math.round(took)} ms`];
  },
};
