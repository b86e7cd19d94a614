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
  const { now, signal } = sender;
  const controller = new AbortController();
  const late = setTimeout(
    () => controller.abort(new Error(`no whole answer within ${sender.timeout} ms`)),
    sender.timeout,
  );
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const sentAt = now();
  try {
    signal?.throwIfAborted();
    const answer = await untilAborted(
      fetchAnswer(sender, ask, controller.signal),
      controller.signal,
    );
    return { ask, sentAt, receivedAt: now(), answer, failed: undefined };
  } catch (error) {
    signal?.throwIfAborted();
    return { ask, sentAt, receivedAt: now(), answer: undefined, failed: reasonOf(error, sender) };
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
    controller.abort(new Error('over'));
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
  const text = await readText(response, signal);
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

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await untilAborted(reader.read(), signal);
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > longestBody) {
      void reader.cancel().catch(() => {});
      throw new Error(`a body of more than ${longestBody} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Why there is no answer, with the cause that `fetch` hides, and without the keys. */
function reasonOf(error: unknown, { scrub }: Sender): string {
  const messages: string[] = [];
  for (let at = error; at instanceof Error && messages.length < 3; at = at.cause)
    if (at.message !== '' && !messages.includes(at.message)) messages.push(at.message);
  return scrub(messages.join(': ')).slice(0, 200) || 'no answer';
}
