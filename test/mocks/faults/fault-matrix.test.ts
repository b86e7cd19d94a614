// What each way of reaching the service can express. The table in docs/faults-and-time-travel.md is made here: UPDATE_DOCS=1.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import type { Fault } from '../../../mocks/faults/parse.js';
import { ways } from '../../support/ways.js';

const page = 'docs/faults-and-time-travel.md';
const columns = ['service.fetch', 'msw 2', 'msw 3', 'a port'];
const runs = process.env['MSW_MAJOR'] === '2' ? ['msw 2'] : ['service.fetch', 'msw 3', 'a port'];

const faults: readonly Fault[] = [
  { status: 503 },
  { delay: 10 },
  { 'retry-after': 'soon' },
  { 'no-rate-limit-headers': true },
  { 'clock-skew': 90_000 },
  { 'network-error': true },
  { 'network-error': 'after' },
  { hang: true },
  { 'drop-body': true },
  { 'slow-body': 20 },
  { 'malformed-json': true },
  { 'empty-body': true },
  { html: true },
  { drift: 'unknown-status' },
  { drift: 'huge-id' },
];

/** Only where the fault hangs, a caller leaves soon: an answer may be slow to come on a machine with other things to do. */
const patience = (fault: Fault) => ('hang' in fault ? 150 : 20_000);

/** What someone who calls `fetch`, and leaves after `ms`, sees of one request. */
async function seen(send: typeof fetch, url: string, ms: number): Promise<string> {
  const leave = new AbortController();
  const signal = leave.signal;
  const timer = setTimeout(() => leave.abort(new Error('no answer')), ms);
  try {
    const headers = { Authorization: 'Bearer mock-free' };
    const response = await send(`${url}/v1/pets`, { headers, signal });
    const text = await response.text().catch((error: unknown) => `body: ${fromServer(error)}`);
    if (text.startsWith('body: ')) return `${response.status}, ${text}`;
    const marks = [
      response.headers.has('Retry-After') && `Retry-After: ${response.headers.get('Retry-After')}`,
      !response.headers.has('X-RateLimit-Limit') && 'no limit headers',
      `${text.length} characters`,
    ];
    return [response.status, ...marks.filter((mark) => mark !== false)].join(', ');
  } catch (error) {
    return fromServer(error);
  } finally {
    clearTimeout(timer);
  }
}

function fromServer(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code === undefined ? `${name}: ${message}` : `${name}: ${message} (${cause.code})`;
}

const cells = (line: string) => line.split('|').map((cell) => cell.trim());
const name = (fault: Fault) => `\`${JSON.stringify(fault)}\``;

test.each(faults.map((fault) => [JSON.stringify(fault), fault] as const))(
  'the matrix tells what the fault %s looks like',
  async (_name, fault) => {
    const lines = readFileSync(page, 'utf8').split('\n');
    let at = lines.findIndex((line) => cells(line)[1] === name(fault));
    const row = at < 0 ? ['', name(fault), ...columns.map(() => '?'), ''] : cells(lines[at]!);
    for (const way of runs) {
      const service = createMockService({ seed: 3, faults: [fault] });
      const column = columns.indexOf(way) + 2;
      const answer = await ways[way.replace(/^msw.*/, 'msw')]!(service, (at, send) =>
        seen(send, at, patience(fault)),
      );
      // The first column has each result, and the others what differs from it.
      const cell = column > 2 && answer === row[2] ? 'same' : answer;
      if (process.env['UPDATE_DOCS'] === undefined) expect(row[column], way).toBe(cell);
      else row[column] = cell;
    }
    if (process.env['UPDATE_DOCS'] === undefined) return;
    if (at < 0) at = lines.findLastIndex((line) => line.startsWith('|')) + 1;
    lines.splice(at, cells(lines[at] ?? '')[1] === name(fault) ? 1 : 0, row.join(' | ').trim());
    writeFileSync(page, lines.join('\n'));
  },
);
