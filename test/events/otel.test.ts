import diagnostics from 'node:diagnostics_channel';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { diagnosticsChannel } from '../../src/index.js';
import { atEnd } from '../support/at-end.js';
import { writeBlocks } from '../support/block-files.js';
import { blockWith } from '../support/documents.js';
import { reachableStrings } from '../support/reachable.js';
import { rejection, world } from '../support/world.js';

const exporter = new InMemorySpanExporter();

/** The SDK is set up as a program would, and then the recipe of the guide is run as it stands there. */
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  // The recipe never leaves its channel: its listener is caught, to be taken away.
  const channel = diagnostics.channel(diagnosticsChannel);
  const subscribe = vi.spyOn(channel, 'subscribe').mockReturnValue(undefined);
  const [file] = writeBlocks([blockWith('docs/observability.md', '@opentelemetry/api')]);
  await import(/* @vite-ignore */ file!.path);
  const [listener] = subscribe.mock.calls[0]!;
  subscribe.mockRestore();
  channel.subscribe(listener);
  atEnd(() => {
    channel.unsubscribe(listener);
    trace.disable();
    context.disable();
  });
});

beforeEach(() => exporter.reset());

/** Does work inside a span of the program, and returns the spans that are its children. */
async function spansOf(work: () => Promise<unknown>): Promise<ReadableSpan[]> {
  const { spanId } = await trace.getTracer('program').startActiveSpan('job', async (span) => {
    await work();
    span.end();
    return span.spanContext();
  });
  const spans = exporter.getFinishedSpans();
  return spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId);
}

test('each attempt is a span, a child of the one that is active where the client is called', async () => {
  const { client } = world({ seed: 1, faults: [{ status: 503, times: 1 }] });
  const spans = await spansOf(() => client().listPets({ limit: 5 }));
  expect(spans.map(({ name, kind, status }) => [name, kind, status])).toEqual([
    ['listPets', SpanKind.CLIENT, { code: SpanStatusCode.ERROR }],
    ['listPets', SpanKind.CLIENT, { code: SpanStatusCode.UNSET }],
  ]);
  const [first, second] = spans.map(({ attributes }) => attributes);
  expect(first).toEqual({
    'http.request.method': 'GET',
    'http.request.resend_count': 0,
    'http.response.status_code': 503,
    'server.address': 'api.petstore.example',
    'url.full': 'https://api.petstore.example/v1/pets?limit=5',
    'error.type': '503',
    'petstore.waited_ms': 0,
    'petstore.rate_limit.remaining': 59,
  });
  expect(second).toMatchObject({
    'http.request.resend_count': 1,
    'http.response.status_code': 200,
  });
});

test('a call whose address contains the API key has a span without the address', async () => {
  const { client } = world();
  const path = '/pets/mock-free';
  const [span] = await spansOf(() => rejection(client().request({ method: 'GET', path })));
  expect(span!.attributes).not.toHaveProperty('server.address');
  expect(span!.attributes['url.full']).toMatch(/^\[text withheld/);
});

test('calls that wait at the gate together keep their own parents', async () => {
  const { client, service } = world();
  service.keys.get('mock-free').exhaust('minute');
  const get = (path: `/${string}`) => spansOf(() => client().request({ method: 'GET', path }));
  const [a, b] = await Promise.all([get('/pets?a'), get('/pets?b')]);
  const queries = (spans: ReadableSpan[]) =>
    new Set(spans.map(({ attributes }) => String(attributes['url.full']).slice(-2)));
  expect([queries(a), queries(b)]).toEqual([new Set(['?a']), new Set(['?b'])]);
  // The jobs themselves, and no span without its job.
  expect(exporter.getFinishedSpans()).toHaveLength(a.length + b.length + 2);
});

test('a failure without an answer is an error by its kind, and no span holds the key', async () => {
  const { client } = world({ faults: [{ 'network-error': true }] });
  const spans = await spansOf(() => rejection(client().createPet({ name: 'x', categoryId: 1 })));
  expect(spans).toHaveLength(1);
  expect(spans[0]!.attributes).toMatchObject({
    'error.type': 'connection',
    'http.request.method': 'POST',
  });
  expect(spans[0]!.attributes).not.toHaveProperty('http.response.status_code');
  for (const text of reachableStrings(spans[0]!.attributes))
    expect(text).not.toContain('mock-free');
});
