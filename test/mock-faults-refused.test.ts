import { expect, test } from 'vitest';
import { createMockService } from '../mocks/index.js';

test.for([
  [{}, /needs one of status, delay/],
  [{ networkError: true }, /unknown: networkError; known: .*network-error/],
  [{ status: 99 }, /status must be an integer from 200 to 599/],
  [{ status: '500' }, /status must be an integer/],
  [{ delay: -1 }, /delay must be ms, 0 or more/],
  [{ hang: false }, /hang must be true, 'before' or 'after'/],
  [{ hang: true, html: true }, /hang and html exclude each other/],
  [{ status: 500, drift: 'null-field' }, /status and drift exclude each other/],
  [{ drift: 'wild' }, /drift must be one of unknown-status/],
  [{ body: 'x', html: true }, /body stands only beside status/],
  [{ status: 500, times: 0 }, /times must be an integer of 1 or more/],
  [{ status: 500, probability: 0 }, /probability must be above 0/],
  [{ status: 500, probability: 2 }, /probability must be above 0, and at most 1/],
  [{ status: 500, operation: 'deletePet' }, /operation must be one of listPets/],
  [{ sequence: [] }, /sequence is empty/],
  [{ sequence: ['skip'] }, /sequence 0 must be an outcome, or 'pass'/],
  [{ sequence: [{}] }, /needs one of/],
  [{ sequence: ['pass'], status: 500 }, /status cannot stand beside a sequence/],
  [{ 'retry-after': 'a\nb' }, /retry-after must be a number, or a text/],
  ['status', /must be an object/],
] as [never, RegExp][])('the fault %j is refused with a message that says why', ([fault, message]) => {
  const service = createMockService();
  expect(() => service.faults.add(fault)).toThrow(message);
  expect(() => service.faults.add(fault)).toThrow(TypeError);
  expect(service.faults.list()).toEqual([]);
});
