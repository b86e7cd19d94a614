import { RateLimitError, type RateLimitReason } from '../errors/errors.js';
import { dateOf, readWait } from '../rate-limit/headers.js';
import type { GateRefusedError } from '../rate-limit/types.js';
import type { Call } from './call.js';
import { apiFields, statedMessage, type ApiFields, type Description } from './status-error.js';

/** The error of a call that the rate limit has stopped: before it was sent, or, without a refusal, by a 429. */
export function describeRateLimit(refusal: GateRefusedError | undefined, call: Call): Description {
  const { clock, maxWait } = call.config;
  const now = clock.now();
  // Whether `totalTimeout` ends before `maxWait`.
  const isDeadline = call.deadline - clock.monotonic() < maxWait - call.waitedForLimit;
  const stoppedBy = refusal?.reason ?? 'attempts';
  const reason = stoppedBy === 'wait' && isDeadline ? 'deadline' : stoppedBy;
  const rateLimited = call.rateLimited.at(-1);
  // Without a 429, the quota is what the client knows.
  const unsent = { status: 429, code: undefined, body: undefined, requestId: undefined };
  const api: ApiFields = rateLimited
    ? apiFields(rateLimited, call)
    : { ...unsent, headers: new Headers(), rateLimit: call.rateLimit };
  const said = api.code === undefined ? '' : ` ("${statedMessage(api.body)}")`;
  const { remaining, limit, resetAt } = api.rateLimit ?? {};
  // As a 429 says: based on its own `Date`, otherwise on the local clock.
  const untilReset = Number(resetAt) - dateOf(api.headers, now);
  const stated = readWait(api.headers, now) ?? Math.max(0, untilReset);
  const wait = refusal ? (refusal.retryAfter ?? NaN) : stated;
  // Rounded up, because a call that is repeated a fraction of a millisecond too early would wait again. A custom gate may state an invalid `retryAfter`, and a custom clock an invalid time.
  const retryAfter = wait >= 0 && now + wait < Infinity ? Math.ceil(wait) : undefined;
  // 8.64e15 is the latest moment that a `Date` can represent.
  const retryAt =
    retryAfter === undefined ? undefined : new Date(Math.min(8.64e15, Math.ceil(now + retryAfter)));
  // The headers do not distinguish a used-up quota from a ban: the message of the service does, if there is one.
  const isUsedUp = remaining === 0 && untilReset > 0 && said === '';
  const quota = isUsedUp ? `0 of ${limit} requests remain, and ` : '';
  // After failures other than a 429, only requests that change nothing are sent again.
  const processed = call.requestSent === 'no' ? 'it was not processed' : 'nothing was changed';
  const when = retryAt ? `after ${retryAt.toISOString()}` : 'later';
  const [what, orWait = ''] = because(call, reason, retryAfter);
  return [
    RateLimitError,
    quota + what + said,
    call.nextStep(`${processed}: try again ${when}${orWait}`),
    { ...api, reason, retryAfter, retryAt, requestSent: rateLimited ? 'yes' : call.requestSent },
  ];
}

/** What stopped a call, and what would have let it wait. */
type Reason = readonly [what: string, orWait?: string];

function because(call: Call, reason: RateLimitReason, retryAfter = 0): Reason {
  const { clock, gate, maxHold, maxWait } = call.config;
  const seen = gate === false ? ', and gate is false' : ` ${call.rateLimited.length} times`;
  let bounds = maxWait < call.waitedForLimit + retryAfter ? ' and maxWait: Infinity' : '';
  if (call.deadline < clock.monotonic() + retryAfter) bounds += ' and totalTimeout: false';
  const wouldPass = (option: 'maxWait' | 'totalTimeout', took: number): Reason => {
    const bound = Number(call.config[option]);
    // The length of the wait may be unknown, as for a request in flight.
    const ms = retryAfter && took + retryAfter;
    const needed = ms > bound ? `: the call would need at least ${Math.ceil(ms)} ms` : '';
    const cause = call.waitCause ? ` (${call.waitCause})` : '';
    const what = `the wait for the rate limit${cause} would pass ${option} (${bound} ms)${needed}`;
    return [what, `, or raise ${option} to wait`];
  };
  if (reason === 'wait' && maxWait === Infinity) return ['the option gate refused the wait'];
  const reasons: Readonly<Record<RateLimitReason, Reason>> = {
    attempts: [`the service responded 429${seen}`],
    hold: [
      `the rate limit holds this key for longer than maxHold (${maxHold} ms)`,
      `, or set maxHold: Infinity${bounds} to wait`,
    ],
    queue: ['the queue for the rate limit is full (10,000 calls)'],
    wait: wouldPass('maxWait', call.waitedForLimit),
    deadline: wouldPass('totalTimeout', clock.monotonic() - call.beganAt),
  };
  return reasons[reason];
}
