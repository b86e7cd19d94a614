// @ts-nocheck
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
  type AssumptionsFile,
  type GivenAssumptions,
} from '../../../mocks/index.js';

const file = (assumptions: GivenAssumptions): AssumptionsFile => ({
  format: 'petstore-assumptions/2',
  origin: 'https://staging.petstore.example',
  measuredAt: '2026-01-01T00:00:00.000Z',
  assumptions,
  open: ['listOrder'],
});

test('what is written to a file of assumptions is read from it again', () => {
  const given = file({
    minuteWindow: 'sliding',
    answers: { limitBelow: { status: 422, code: 'E422' }, limitAbove: 'clamp' },
    ids: 9223372036854775807n,
    categories: [1, 9007199254740993n],
    name: /[a-z]+/iu,
    retryAfter: { raw: 'soon' },
  });
  const text = writeAssumptionsFile(given);
  expect(readAssumptionsFile(text)).toEqual(given);
  expect(readAssumptions(text)).toEqual(given.assumptions);
  expect(text).toContain('9223372036854775807');
});

test('every assumption is on one line, in alphabetical order', () => {
  const answers = { banned: { code: 'B' }, removed: 'ignore' } as const;
  const text = writeAssumptionsFile(file({ resetUnit: 'absent', dateHeader: false, answers }));
  expect(text).toContain(`"assumptions": {
    "answers": {"banned":{"code":"B"},"removed":"ignore"},
    "dateHeader": false,
    "resetUnit": "absent"
`);
});

test('an object of assumptions written by hand is a file too', () => {
  const text = '\uFEFF{ "minuteWindow": "sliding", "name": { "pattern": "[a-z]+" } }';
  const read = readAssumptionsFile(text);
  expect(read.assumptions).toEqual({ minuteWindow: 'sliding', name: /[a-z]+/ });
  expect([read.origin, read.open]).toEqual(['', []]);
});

test('no text makes the reader fail with anything but a TypeError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        readAssumptionsFile(text);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
    }),
  );
});

test('assumptions that are none are not written', () => {
  expect(() => writeAssumptionsFile(file({ minuteWindow: 'rolling' as never }))).toThrow(
    /minuteWindow must be one of/,
  );
});
