/** What form `Retry-After` has. */
import { headers as names } from '../../../src/contract/index.js';
import { clockOffsetOf } from '../windows/clock.js';
import { resetSlack } from '../windows/samples.js';
import { longestMinute } from '../ask/budget.js';
import { dateOf, readRate } from '../ask/rate.js';
import { hasKey, type Exchange } from '../ask/request.js';
import { beyond, measured, undecided, type Known } from '../case.js';
import type { Verdict } from '../types.js';

/** The longest wait after a 429 that a run sits out, ms. */
const longestWait = 300_000;

const header = (exchange: Exchange) => exchange.answer!.headers[names.retryAfter.toLowerCase()];

/**
 * How long to send nothing after a 429, ms: the longest of `Retry-After`, in any form, and Reset; undefined where it
 * is too long. Without a Reset, a whole minute: `Retry-After` may be too short, and a request during the wait is a
 * step to a ban.
 */
export function announcedWait(refused: Exchange): number | undefined {
  const text = header(refused);
  const date = dateOf(refused.answer!.headers, refused.receivedAt);
  const now = Number.isNaN(date) ? refused.receivedAt : date;
  const number = text === undefined ? NaN : Number(text);
  const announced =
    text === undefined ? NaN : Number.isNaN(number) ? timeOf(text) - now : waitOf(number, now);
  const reset = readRate(refused.answer!, refused.receivedAt)?.resetIn ?? NaN;
  // Where the clock of the service is not known, a date says nothing of the wait.
  const isDate = Number.isNaN(number) || number > 1e8;
  const waits = [
    isDate && Number.isNaN(date) ? NaN : announced,
    Number.isNaN(reset) ? longestMinute : reset,
  ].filter((wait) => !Number.isNaN(wait));
  const wait = Math.max(0, ...waits) + 1_500;
  return wait > longestWait ? undefined : wait;
}

function waitOf(number: number, now: number): number {
  if (number > 1e11) return number - now;
  if (number > 1e8) return number * 1_000 - now;
  return number > longestWait / 1_000 ? number : number * 1_000;
}

/** `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994` and `Sun, 06 Nov 1994 08:49:37 GMT`, all in UTC. */
function timeOf(text: string): number {
  return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
}

const forms = {
  'http-date': /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
} as const;

/** Judges the `Retry-After` of every 429, by its syntax and by the waits of the fitted windows. */
export function judgeRetryAfter(known: Known, waits = known.fit?.waits): Verdict {
  const refused = known.exchanges.filter(
    ({ ask, answer }) => hasKey(ask) && answer?.status === 429,
  );
  if (refused.length === 0) return undecided('no 429');
  const texts = refused.map(header);
  const sure = texts.length > 1 ? 'certain' : 'likely';
  if (texts.every((text) => text === undefined)) return measured('absent', sure);
  if (texts.some((text) => text === undefined)) return beyond('some 429s have no Retry-After');
  const isClockKnown = clockOffsetOf(known) !== undefined;
  const samples = refused.map((exchange, index) => ({
    text: texts[index]!,
    span: spanOf(waits?.get(exchange), isClockKnown),
    isClockKnown,
    now: dateOf(exchange.answer!.headers, exchange.receivedAt) || exchange.receivedAt,
  }));
  const possible = [
    // First, because it is the one that agrees with every way of counting.
    ...(new Set(texts).size === 1 ? [constantOf(texts[0]!)] : []),
    ...[...numberForms, 'unix-seconds', 'unix-milliseconds', ...Object.keys(forms)].filter((form) =>
      samples.every((sample) => isOfForm(form, sample)),
    ),
  ];
  if (possible.length === 0) return beyond(texts.join(', '));
  if (possible.length > 1) return undecided(texts.join(', '), possible);
  const [form] = possible;
  const isConstant = typeof form !== 'string';
  // Where the wait is not known, a number may be in a unit that cannot be checked.
  const isChecked = samples.every(
    ({ text, span }) => !Number.isNaN(span[0]) || Number.isNaN(Number(text)),
  );
  if (isConstant && !isChecked) {
    const others = numberForms.filter((other) =>
      samples.every((sample) => isOfForm(other, withAnyWait(sample))),
    );
    if (others.length > 0) return undecided(texts.join(', '), [...others, form]);
  }
  return measured(form, isConstant ? 'likely' : sure);
}

/** Without a `Date` the clock of the service may be off by as much as a Reset may be, and so may the wait. */
function spanOf(
  wait: readonly [number, number] | undefined,
  isClockKnown: boolean,
): readonly [number, number] {
  if (!wait || isClockKnown) return wait ?? [NaN, NaN];
  return [wait[0] - resetSlack, wait[1] + resetSlack];
}

function constantOf(text: string): number | { readonly raw: string } {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : { raw: text };
}

/** The forms of a wait as a number. */
const numberForms = ['seconds', 'seconds-floored', 'decimal', 'milliseconds'] as const;

/** Where the wait is not known, it may be any. */
function withAnyWait(sample: Sample): Sample {
  return Number.isNaN(sample.span[0]) ? { ...sample, span: [0, Infinity] } : sample;
}

interface Sample {
  readonly text: string;
  /** The shortest and the longest wait, ms. */
  readonly span: readonly [number, number];
  readonly now: number;
  readonly isClockKnown: boolean;
}

/** Whether a text is what a form makes of the wait, as far as that is known. Without a known wait no number is. */
function isOfForm(form: string, sample: Sample): boolean {
  const {
    text,
    span: [least, most],
  } = sample;
  const near = (ms: number, slack: number) => ms >= least - slack && ms <= most + slack;
  if (form in forms)
    return forms[form as keyof typeof forms].test(text) && isNearDate(timeOf(text), sample);
  if (form === 'decimal') return /^\d+\.\d{3}$/.test(text) && near(Number(text) * 1_000, 50);
  if (!/^\d+$/.test(text)) return false;
  const number = Number(text);
  switch (form) {
    case 'seconds':
      return number >= Math.ceil(least / 1_000) && number <= Math.ceil(most / 1_000);
    case 'seconds-floored':
      return number >= Math.floor(least / 1_000) && number <= Math.floor(most / 1_000);
    case 'milliseconds':
      return near(number, 50);
    case 'unix-seconds':
      return number > 1e8 && number < 1e11 && isNearDate(number * 1_000, sample);
    default:
      return number > 1e11 && isNearDate(number, sample);
  }
}

/** Dates are rounded to a second, and so is the `Date` they are compared with. Without a `Date` the clock may be hours off. */
function isNearDate(date: number, { span: [least, most], now, isClockKnown }: Sample): boolean {
  if (!isClockKnown) return Math.abs(date - now) < 86_400_000;
  if (Number.isNaN(least)) return date > now - 2_000;
  return date - now >= least - 2_500 && date - now <= most + 2_500;
}
