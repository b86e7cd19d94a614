import { untilAborted } from '../../utils/abort.js';
import { jsonOf } from '../../utils/json.js';
import type { Ask } from '../asks.js';
import type { Settings } from '../settings.js';
import type { Answer, Exchange } from './exchange.js';

/** The longest body that is read, in bytes. */
const longestBody = 1_048_576;

/** Sends one request, and reads its answer without the keys. Follows no redirect. Never rejects but with the reason of `signal`. */
export async function send(settings: Settings, ask: Ask): Promise<Exchange> {
  const { clock, signal, timeout, scrub } = settings;
  const over = new AbortController();
  const late = setTimeout(
    () => over.abort(new Error(`no whole answer within ${timeout} ms`)),
    timeout,
  );
  const end = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const sentAt = clock.now();
  try {
    const answer = await untilAborted(fetchAnswer(settings, ask, end), end);
    return { ask, sentAt, receivedAt: clock.now(), answer, failed: undefined };
  } catch (error) {
    signal?.throwIfAborted();
    const failed = scrub(reasonOf(error)).slice(0, 200);
    return { ask, sentAt, receivedAt: clock.now(), answer: undefined, failed };
  } finally {
    clearTimeout(late);
    over.abort();
  }
}

async function fetchAnswer(settings: Settings, ask: Ask, signal: AbortSignal): Promise<Answer> {
  const { scrub, address, fetch, keys } = settings;
  const response = await fetch(address + ask.path, {
    method: ask.method,
    headers: headersOf(ask, keys),
    ...(ask.body !== undefined && { body: ask.body }),
    redirect: 'manual',
    signal,
  });
  // Real orders are nobody's business: they are not even read.
  const text = ask.name === 'storeOrders' && response.ok ? '' : await readText(response);
  return toAnswer(response.status, response.headers, text, scrub);
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
  scrub: (text: string) => string = (text) => text,
): Answer {
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), scrub(value).slice(0, 200)]);
  const text = scrub(body);
  const kept = Object.fromEntries(all) as Record<string, string>;
  return { status, headers: kept, text, json: jsonOf(text) };
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > longestBody) {
      void reader.cancel().catch(() => {});
      throw new Error(`a body of more than ${longestBody} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Why there is no answer, with the cause that `fetch` hides. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error('no answer');
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
