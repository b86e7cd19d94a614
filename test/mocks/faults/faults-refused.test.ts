import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';

test.for([
  [{}, /^fault has none of status, .*, sequence: it needs one of them$/],
  [
    { networkError: true },
    /^fault has no networkError; it has: .*\. Did you mean network-error\?$/,
  ],
  [{ sequence: [{ slowBody: 5 }] }, /^fault\.sequence\.0 has no slowBody; .* mean slow-body\?$/],
  [{ status: 99 }, /^fault\.status must be .*200.*, got 99$/],
  [
    { delay: -1 },
    /^fault\.delay must be ms, 0 or more, or a text such as '500ms' or '2s', got -1$/,
  ],
  [{ delay: '5 parsecs' }, /delay must be ms, 0 or more, or a text/],
  [{ delay: '-1s' }, /delay must be ms, 0 or more/],
  [{ 'clock-skew': '--1s' }, /clock-skew must be ms, or a text such as '90s' or '-90s'/],
  [{ 'slow-body': 'slow' }, /slow-body must be a boolean, or ms, 0 or more, .*, got 'slow'/],
  [{ hang: 'never' }, /hang must be one of true, false, "before", "after"/],
  [{ hang: false }, /has none of status, delay/],
  [{ hang: true, html: true }, /^fault has hang and html, which exclude each other$/],
  [{ status: 500, drift: 'null-field' }, /has status and drift, which exclude each other/],
  [{ drift: 'wild' }, /drift must be one of "unknown-status"/],
  [{ body: 'x', html: true }, /has a body, which is allowed only together with status/],
  [{ status: 500, times: 0 }, /times must be an integer of 1 or more, or "Infinity", got 0/],
  [{ status: 503, times: '3' }, /times must be an integer of 1 or more, or "Infinity", got '3'/],
  [{ status: 500, probability: 2 }, /probability must be 1 or less, got 2/],
  [{ status: 500, operation: 'feedPet' }, /operation must be one of "listPets"/],
  [{ sequence: [] }, /sequence must have at least one outcome/],
  [{ sequence: ['skip'] }, /sequence\.0 must be an object of .*, or "pass", got 'skip'/],
  [{ sequence: [{}] }, /sequence\.0 has none of/],
  [
    { sequence: [{ status: 500 }], body: false, delay: 1 },
    /has a sequence and delay, body, which ex/,
  ],
  [{ 'retry-after': 5, drift: 'null-field' }, /retry-after and drift, which exclude each other/],
  [{ sequence: [{ 'retry-after': 5, drift: 'null-field' }] }, /0 has retry-after and drift, which/],
  [{ 'retry-after': 'a\nb' }, /retry-after must be visible ASCII characters/],
  ['status', /^fault must be an object/],
] as [never, RegExp][])(
  'the fault %j is refused with a message that says why',
  ([fault, message]) => {
    const service = createMockService();
    expect(() => service.faults.add(fault)).toThrow(message);
    expect(() => service.faults.add(fault)).toThrow(TypeError);
    expect(service.faults.list()).toEqual([]);
  },
);
