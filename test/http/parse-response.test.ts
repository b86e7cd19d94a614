import { expect, test } from 'vitest';
import { operations, type Operation } from '../../src/contract/operations.js';
import { parseResponse } from '../../src/http/parse-response.js';

test('an operation whose success has no body gives undefined, whatever the service sends', () => {
  const row: Operation = { ...operations.getPet, success: 204, responses: { 204: undefined } };
  const raw = { response: new Response(null, { status: 204 }), text: 'ignored' };
  for (const int64 of ['number', 'bigint'] as const)
    expect(parseResponse(row, raw, int64, 'strict', undefined)).toBeUndefined();
});
