import { headers as names } from '../../../src/contract/index.js';
import { untilAborted } from '../../utils/abort.js';
import { jsonOf } from '../../utils/json.js';
import type { Answer, Ask, Exchange, KeyClass } from './request.js';

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

/** Headers that judges look at. All others are dropped when an answer is read. */
const kept: readonly string[] = [
  'content-type',
  'date',
  'age',
  'allow',
  'location',
  ...Object.values(names).map((name) => name.toLowerCase()),
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
  const { scrub } = sender;
  const key = sender.keys[ask.key];
  const response = await sender.fetch(sender.address + ask.path, {
    method: ask.method,
    headers: {
      Accept: 'application/json',
      'Cache-Control': 'no-store',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(ask.body !== undefined && { 'Content-Type': ask.type ?? 'application/json' }),
    },
    ...(ask.body !== undefined && { body: ask.body }),
    redirect: 'manual',
    signal,
  });
  const headers = Object.fromEntries(
    kept.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, scrub(value).slice(0, 200)]];
    }),
  );
  const text = scrub(await readText(response, signal));
  return { status: response.status, headers, text, json: jsonOf(text) };
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
