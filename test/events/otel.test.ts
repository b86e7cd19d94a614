import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { reachableStrings } from '../support/reachable.js';
import { rejection, world } from '../support/world.js';

const exporter = new InMemorySpanExporter();

/** The SDK is set up as a program would, and then the recipe of the guide is run as it stands there. */
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  const guide = await readFile(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const recipe = /## Traces with OpenTelemetry[^]*?```ts\n([^]*?)```/
    .exec(guide)![1]!
    .replace("'petstore-client'", "'../src/index.ts'");
  const file = new URL('../../temp/opentelemetry-recipe.ts', import.meta.url);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, recipe);
  await import(/* @vite-ignore */ file.href);
});

beforeEach(() => exporter.reset());

/** Does work inside a span of the program, and returns the spans of the client within it. */
async function spansOf(work: () => Promise<unknown>): Promise<ReadableSpan[]> {
  await trace.getTracer('program').startActiveSpan('job', async (span) => {
    await work();
    span.end();
  });
  const spans = exporter.getFinishedSpans();
  const job = spans.find(({ name }) => name === 'job')!;
  const children = spans.filter((span) => span !== job);
  for (const child of children)
    expect(child.parentSpanContext?.spanId).toBe(job.spanContext().spanId);
  return children;
}

test('each attempt is a span, a child of the one that is active where the client is called', async () => {
  const { client } = world({ seed: 1, faults: [{ status: 503, times: 1 }] });
  const spans = await spansOf(() => client().listPets({ limit: 5 }));
  expect(
    spans.map(({ name, kind, status, attributes }) => ({ name, kind, status, attributes })),
  ).toEqual([
    {
      name: 'listPets',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'http.request.method': 'GET',
        'http.request.resend_count': 0,
        'http.response.status_code': 503,
        'server.address': 'api.petstore.example',
        'url.full': 'https://api.petstore.example/v1/pets?limit=5',
        'error.type': '503',
        'petstore.waited_ms': 0,
        'petstore.rate_limit.remaining': 59,
      },
    },
    expect.objectContaining({
      name: 'listPets',
      status: { code: SpanStatusCode.UNSET },
      attributes: expect.objectContaining({
        'http.request.resend_count': 1,
        'http.response.status_code': 200,
      }) as object,
    }),
  ]);
});

test('calls that wait at the gate together keep their own parents', async () => {
  const { client, service } = world();
  service.keys.get('mock-free').exhaust('minute');
  const [first, second] = [client(), client()];
  const jobs = ['a', 'b'].map((name, index) =>
    trace.getTracer('program').startActiveSpan(name, async (span) => {
      await [first, second][index]!.request({ method: 'GET', path: `/pets?${name}` as '/' });
      span.end();
    }),
  );
  await Promise.all(jobs);
  const spans = exporter.getFinishedSpans();
  for (const name of ['a', 'b']) {
    const job = spans.find((span) => span.name === name)!;
    const own = spans.filter(({ attributes }) =>
      String(attributes['url.full']).endsWith(`?${name}`),
    );
    expect(own.length).toBeGreaterThan(0);
    for (const child of own) expect(child.parentSpanContext?.spanId).toBe(job.spanContext().spanId);
  }
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
