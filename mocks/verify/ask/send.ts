import { untilAborted } from '../../utils/abort.js';
import { jsonOf } from '../../utils/json.js';
import type { Ask } from '../asks.js';
import type { Settings } from '../settings.js';
import type { ReceivedAnswer, Exchange } from './exchange.js';
import { readTimes } from './rate.js';

/** The longest body that is read, in bytes. */
const longestBody = 1_048_576;

/** Sends one request, and reads its answer without the keys. Follows no redirect. Never rejects but with the reason of `signal`. */
export async function send(settings: Settings, ask: Ask): Promise<Exchange> {
  const { clock, signal, timeout, scrub } = settings;
  const late = new AbortController();
  // No AbortSignal.timeout: it does not keep Node running.
  const timer = setTimeout(() => late.abort(), timeout);
  const end = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
  const sentAt = clock.now();
  try {
    const answer = await untilAborted(fetchAnswer(settings, ask, end), end);
    return { ask, sentAt, receivedAt: clock.now(), answer };
  } catch (error) {
    signal?.throwIfAborted();
    const why = late.signal.aborted ? `no whole answer within ${timeout} ms` : reasonOf(error);
    return { ask, sentAt, receivedAt: clock.now(), failed: scrub(why).slice(0, 200) };
  } finally {
    clearTimeout(timer);
  }
}

async function fetchAnswer(
  settings: Settings,
  ask: Ask,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  const { address, clock, fetch, keys, scrub } = settings;
  const response = await fetch(address + ask.path, {
    method: ask.method,
    headers: headersOf(ask, keys),
    ...(ask.body !== undefined && { body: ask.body }),
    redirect: 'manual',
    signal,
  });
  // Real orders are private, so they are not read.
  const text = ask.name === 'storeOrders' && response.ok ? '' : await readText(response);
  return toAnswer(response.status, response.headers, text, clock.now(), scrub);
}

/** The headers of a request. */
export function headersOf(
  { key, body, type = 'application/json' }: Ask,
  keys: Settings['keys'],
): Record<string, string> {
  const bearer = keys[key];
  return {
    Accept: 'application/json',
    'Cache-Control': 'no-store',
    ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    ...(body !== undefined && { 'Content-Type': type }),
  };
}

/** What is kept of a response. */
export function toAnswer(
  status: number,
  headers: Iterable<readonly [string, string]>,
  body: string,
  receivedAt: number,
  scrub: (text: string) => string = (text) => text,
): ReceivedAnswer {
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), scrub(value).slice(0, 200)]);
  const text = scrub(body);
  const kept = Object.fromEntries(all) as Record<string, string>;
  return { status, headers: kept, text, json: jsonOf(text), ...readTimes(kept, receivedAt) };
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // If the loop ends early, it cancels the body.
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > longestBody) throw new Error(`a body of more than ${longestBody} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Why there is no answer, with the cause that `fetch` hides. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error('no answer');
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
