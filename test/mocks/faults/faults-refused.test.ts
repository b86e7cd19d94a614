import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';

test.for([
  [{}, /needs one of status, delay/],
  [
    { networkError: true },
    /has an unknown field "networkError" \(known: .*\)\. Did you mean network-error\?$/,
  ],
  [{ stats: 503 }, /Did you mean status\?$/],
  [
    { sequence: [{ slowBody: 5 }] },
    /sequence 0 has an unknown field "slowBody" \(known: .*\)\. Did you mean slow-body\?$/,
  ],
  [{ status: 99 }, /status must be an integer from 200 to 599/],
  [{ status: '500' }, /status must be an integer/],
  [{ delay: -1 }, /delay must be ms, 0 or more/],
  [{ delay: '5 parsecs' }, /delay must be ms, 0 or more, or a text such as '500ms'/],
  [{ delay: '-1s' }, /delay must be ms, 0 or more/],
  [{ 'clock-skew': '--1s' }, /clock-skew must be ms, or a text such as '90s' or '-90s'/],
  [{ 'slow-body': 'slow' }, /slow-body must be true, or ms of 0 or more/],
  [{ hang: 'never' }, /hang must be true, 'before' or 'after'/],
  [{ hang: false }, /needs one of status, delay/],
  [{ hang: true, html: true }, /hang and html exclude each other/],
  [{ status: 500, drift: 'null-field' }, /status and drift exclude each other/],
  [{ drift: 'wild' }, /drift must be one of unknown-status/],
  [{ body: 'x', html: true }, /body is allowed only together with status/],
  [{ status: 500, times: 0 }, /times must be an integer of 1 or more/],
  [{ status: 500, probability: -0.1 }, /probability must be from 0/],
  [{ status: 500, probability: 2 }, /probability must be from 0 \(never\) to 1/],
  [{ status: 500, operation: 'feedPet' }, /operation must be one of listPets/],
  [{ sequence: [] }, /sequence is empty/],
  [{ sequence: ['skip'] }, /sequence 0 must be an outcome, or 'pass'/],
  [{ sequence: [{}] }, /needs one of/],
  [{ sequence: ['pass'], status: 500 }, /status cannot be combined with a sequence/],
  [{ sequence: ['pass'], body: { a: 1 } }, /: body cannot be combined with a sequence/],
  [{ sequence: [{ status: 500 }], body: false, delay: 1 }, /delay, body cannot be combined/],
  [{ 'retry-after': 5, drift: 'null-field' }, /retry-after and drift exclude each other/],
  [{ sequence: [{ 'retry-after': 5, drift: 'null-field' }] }, /retry-after and drift exclude/],
  [{ 'retry-after': 'a\nb' }, /retry-after must be a number, or a text/],
  ['status', /must be an object/],
] as [never, RegExp][])(
  'the fault %j is refused with a message that says why',
  ([fault, message]) => {
    const service = createMockService();
    expect(() => service.faults.add(fault)).toThrow(message);
    expect(() => service.faults.add(fault)).toThrow(TypeError);
    expect(service.faults.list()).toEqual([]);
  },
);
