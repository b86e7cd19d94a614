import { headers as names } from '../../../src/contract/index.js';
import { untilAborted } from '../../utils/abort.js';
import { jsonOf } from '../../utils/json.js';
import type { Ask, KeyClass } from '../asks.js';
import type { Answer, Exchange } from './exchange.js';

/** What is needed to send requests to a service. */
export interface Sender {
  /** The address with the base path, without a slash at its end. */
  readonly address: string;
  readonly keys: Readonly<Partial<Record<KeyClass, string>>>;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  /** ms for one request, to the last byte of its body. */
  readonly timeout: number;
  readonly scrub: (text: string) => string;
  readonly signal: AbortSignal | undefined;
}

/** The longest body that is read, in bytes. */
const longestBody = 1_048_576;

/** Headers that are looked at. All others are dropped when an answer is read. */
const kept: readonly string[] = [
  'Content-Type',
  'Date',
  'Age',
  'Location',
  ...Object.values(names),
];

/** Sends one request, and reads its answer without the keys. Follows no redirect. Never rejects but with the reason of `signal`. */
export async function send(sender: Sender, ask: Ask): Promise<Exchange> {
  const { now, signal, timeout, scrub } = sender;
  const over = new AbortController();
  const late = setTimeout(
    () => over.abort(new Error(`no whole answer within ${timeout} ms`)),
    timeout,
  );
  const end = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const sentAt = now();
  try {
    const answer = await untilAborted(fetchAnswer(sender, ask, end), end);
    return { ask, sentAt, receivedAt: now(), answer, failed: undefined };
  } catch (error) {
    signal?.throwIfAborted();
    const failed = scrub(reasonOf(error)).slice(0, 200);
    return { ask, sentAt, receivedAt: now(), answer: undefined, failed };
  } finally {
    clearTimeout(late);
    over.abort();
  }
}

async function fetchAnswer(sender: Sender, ask: Ask, signal: AbortSignal): Promise<Answer> {
  const { scrub, address, fetch, keys } = sender;
  const response = await fetch(address + ask.path, {
    method: ask.method,
    headers: headersOf(ask, keys),
    ...(ask.body !== undefined && { body: ask.body }),
    redirect: 'manual',
    signal,
  });
  // Real orders are nobody's business: they are not even read.
  const text = ask.name === 'storeOrders' && response.ok ? '' : await readText(response);
  return toAnswer(response.status, (name) => response.headers.get(name), text, scrub);
}

/** The headers of a request. */
export function headersOf(
  { key, body, type = 'application/json' }: Ask,
  keys: Sender['keys'],
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
  headerOf: (name: string) => string | null | undefined,
  body: string,
  scrub: (text: string) => string = (text) => text,
): Answer {
  const headers: Record<string, string> = {};
  for (const name of kept) {
    const value = headerOf(name) ?? undefined;
    if (value !== undefined) headers[name.toLowerCase()] = scrub(value).slice(0, 200);
  }
  const text = scrub(body);
  return { status, headers, text, json: jsonOf(text) };
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
