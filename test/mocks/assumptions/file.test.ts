import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createMockService,
  defaultAssumptions,
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
  type AssumptionsFile,
  type GivenAssumptions,
} from '../../../mocks/index.js';

const file = (assumptions: GivenAssumptions): AssumptionsFile => ({
  format: 'petstore-assumptions/1',
  interface: '1.0.0',
  origin: 'https://staging.petstore.example',
  measuredAt: '2026-01-01T00:00:00.000Z',
  assumptions,
  sure: { minuteWindow: 'likely' },
  evidence: { minuteWindow: 'explains 24 of 24 headers' },
  beyond: { storeOrders: '200' },
});

test('what is written to a file of assumptions is read from it again', () => {
  const given = file({
    minuteWindow: 'sliding',
    invalidLimit: { below: 422, above: 'clamp' },
    firstId: 9223372036854775807n,
    categories: [1, 9007199254740993n],
    nameCharacters: /[a-z]+/iu,
    retryAfter: { raw: 'soon' },
    codes: { petNotFound: 'E404' },
  });
  const text = writeAssumptionsFile(given);
  expect(readAssumptionsFile(text)).toEqual(given);
  expect(readAssumptions(text)).toEqual(given.assumptions);
  expect(text).toContain('9223372036854775807');
});

test('a service takes the assumptions of a file', () => {
  const text = writeAssumptionsFile(file({ minuteWindow: 'sliding', codes: { banned: 'B' } }));
  const { assumptions } = createMockService({ assumptions: readAssumptions(text) });
  expect(assumptions.minuteWindow).toBe('sliding');
  expect(assumptions.codes).toEqual({ ...defaultAssumptions.codes, banned: 'B' });
});

test('every assumption is on one line, in alphabetical order', () => {
  const lines = writeAssumptionsFile(
    file({ resetUnit: 'absent', dateHeader: false, codes: { banned: 'B', fault: 'F' } }),
  ).split('\n');
  const at = lines.findIndex((line) => line.includes('"assumptions"'));
  expect(lines.slice(at + 1, at + 4)).toEqual([
    '    "codes": {"banned":"B","fault":"F"},',
    '    "dateHeader": false,',
    '    "resetUnit": "absent"',
  ]);
});

test('an object of assumptions written by hand is a file too', () => {
  const text = '\uFEFF{ "minuteWindow": "sliding", "nameCharacters": { "pattern": "[a-z]+" } }';
  const read = readAssumptionsFile(text);
  expect(read.assumptions).toEqual({ minuteWindow: 'sliding', nameCharacters: /[a-z]+/ });
  expect([read.origin, read.evidence]).toEqual(['', {}]);
});

test.for([
  ['', /^The file of assumptions is not JSON/],
  ['{"minuteWindow"', /^The file of assumptions is not JSON/],
  ['[]', /must hold a JSON object/],
  ['{"format":"petstore-assumptions/2"}', /"petstore-assumptions\/2"; this version reads/],
  ['{"format":"petstore-assumptions/1"}', /"assumptions" .* must be an object/],
  ['{"minuteWindows":"sliding"}', /There is no assumption minuteWindows/],
  ['{"minuteWindow":"rolling"}', /assumptions\.minuteWindow must be one of/],
  ['{"nameCharacters":{"pattern":"["}}', /nameCharacters: Invalid regular expression/],
  ['{"nameCharacters":{"flags":"i"}}', /nameCharacters must be "any" or/],
] as const)('a file that holds %j is refused with the reason', ([text, message]) => {
  expect(() => readAssumptions(text)).toThrow(TypeError);
  expect(() => readAssumptions(text)).toThrow(message);
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
