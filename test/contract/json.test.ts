import { expect, test } from 'vitest';
import { stringifyJson } from '../../src/contract/json.js';

test('a bigint that a number holds exactly is written without JSON.rawJSON', () => {
  const json = JSON as { rawJSON?: unknown };
  const { rawJSON } = json;
  delete json.rawJSON;
  try {
    expect(stringifyJson({ id: 5n, min: -9_007_199_254_740_991n })).toBe(
      '{"id":5,"min":-9007199254740991}',
    );
    expect(() => stringifyJson({ id: 2n ** 53n })).toThrow(
      'this JavaScript engine cannot write 9007199254740992 as a JSON number',
    );
  } finally {
    json.rawJSON = rawJSON;
  }
});
