import { stringifyJson } from '../../src/contract/json.js';
import type { ResponseParts } from '../http/response.js';
import type { ReadOutcome } from './parse.js';
import type { Drift } from './fault.js';

const page =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

/** The answer as a fault leaves it: what the text itself can show. */
export function applyBodyFault(answer: ResponseParts, effects: ReadOutcome): ResponseParts {
  if (effects['empty-body']) return { ...answer, text: undefined };
  if (effects.html) return { ...answer, text: page, type: 'text/html;charset=utf-8' };
  if (effects['malformed-json']) return { ...answer, text: answer.text?.slice(0, -1) };
  if (effects.drift && answer.status < 300)
    return { ...answer, text: stringifyJson(drift(answer.value, effects.drift)) };
  return answer;
}

const changes: Readonly<Record<Drift, (pet: Record<string, unknown>) => Record<string, unknown>>> =
  {
    'unknown-status': (pet) => ({ ...pet, status: 'reserved' }),
    'extra-field': (pet) => ({ ...pet, microchip: '985141000000000' }),
    'missing-field': ({ name: _, ...pet }) => pet,
    'null-field': (pet) => ({ ...pet, name: null }),
    'string-number': (pet) => ({ ...pet, id: String(pet['id']) }),
    // An int64 that no double holds.
    'huge-id': (pet) => ({ ...pet, id: 2n ** 63n - 1n }),
  };

/** Every pet of a body, changed. */
function drift(value: unknown, kind: Drift): unknown {
  const change = (pet: unknown) => changes[kind](pet as Record<string, unknown>);
  return Array.isArray(value) ? value.map(change) : change(value);
}
