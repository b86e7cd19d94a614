import type { CallEndEvent, PetStoreEvent } from './events.js';

/** The levels, from the least to the most severe. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const;

/** The least severe level that is logged. `'off'`: nothing is logged. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Where messages about events go: `console`, a pino logger, or any object with these four methods. Each is called with a
 * message of one line, and with the event as the second argument. A logger with a function `bindings`, as those of pino and Fastify
 * have, receives the event first, as pino expects it.
 */
export interface Logger {
  /** Called for each request, each response, and the end of each call. */
  debug(message: string, ...details: unknown[]): void;
  /** Called for each retry, for a wait of a second without a hold, and at the end of a hold. */
  info(message: string, ...details: unknown[]): void;
  /** Called when a hold of the rate limit begins, for a deprecated operation, and for unknown fields. */
  warn(message: string, ...details: unknown[]): void;
  /** Not called at present: an error is thrown to the caller, who decides whether to log it. */
  error(message: string, ...details: unknown[]): void;
}

/** A listener that writes each event to `logger`, if it is as severe as `level`. */
export function logListener(logger: Logger, level: LogLevel): (event: PetStoreEvent) => void {
  const lowest = logLevels.indexOf(level);
  // Pino drops an object behind the message.
  const isPino = 'bindings' in logger;
  return (event) => {
    const [eventLevel, message] = describeEvent(event);
    if (logLevels.indexOf(eventLevel) < lowest) return;
    const call = 'call' in event ? `${event.operation} (call ${event.call}): ` : '';
    const line = `petstore-client: ${call}${message}`;
    const details = isPino ? [event, line] : [line, event];
    return logger[eventLevel](...(details as [string, unknown]));
  };
}

type Line = readonly [level: 'debug' | 'info' | 'warn', message: string];

/** What happened. The line begins with the call, if the event is of one. */
function describeEvent(event: PetStoreEvent): Line {
  switch (event.type) {
    case 'request':
      return ['debug', `attempt ${event.attempt}, ${event.method} ${event.url}`];
    case 'response': {
      const id = event.requestId === undefined ? '' : `, request id ${event.requestId}`;
      const result = event.status ?? `failed: ${event.failure}`;
      return [
        'debug',
        `attempt ${event.attempt}, ${result} after ${Math.round(event.took)} ms${id}`,
      ];
    }
    case 'retry':
      return [
        'info',
        `attempt ${event.attempt} after ${Math.round(event.delay)} ms, because of ${event.reason}`,
      ];
    case 'rate-limit-hold':
      return [
        'warn',
        `calls wait ${Math.ceil(event.delay / 1_000)} s for the rate limit (${event.cause}), until ${event.until.toISOString()}`,
      ];
    case 'rate-limit-resume':
      return ['info', 'calls no longer wait for the rate limit'];
    case 'rate-limit-wait':
      return ['info', `has waited 1 s for the rate limit (${event.cause})`];
    case 'drift':
      return ['warn', `the service sent an unknown ${event.kind}: ${event.value}`];
    case 'deprecated':
      return ['warn', `will be removed on ${event.removedOn}: use ${event.replacement}`];
    case 'call-end':
      return ['debug', `${describeEnd(event)} after ${Math.round(event.took)} ms`];
  }
}

function describeEnd({ outcome, error, reason }: CallEndEvent): string {
  if (outcome !== 'error') return outcome;
  return reason === undefined ? `${error}` : `${error} (${reason})`;
}
