import { stringifyJson } from '../../src/contract/json.js';
import { injected, type ResponseParts } from '../http/response.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import type { Effects } from './fault-registry.js';
import { bodyFaults, type ReadOutcome } from './parse.js';
import type { Drift } from './fault-types.js';

const page =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

/** The body fault among the effects on a request; undefined when there is none. */
export function bodyFaultOf(effects: Effects): (typeof bodyFaults)[number] | undefined {
  return bodyFaults.find((name) => effects[name] !== undefined);
}

/** The response with its text changed by a body fault; undefined when there is nothing to change. */
export function applyBodyFault(
  parts: ResponseParts,
  effects: ReadOutcome,
): ResponseParts | undefined {
  if (!parts.text) return undefined;
  if (effects['empty-body']) return { ...parts, text: undefined };
  if (effects.html) return { ...parts, text: page, type: 'text/html;charset=utf-8' };
  if (effects['malformed-json']) return { ...parts, text: parts.text.slice(0, -1) };
  if (!effects.drift) return parts;
  const drifted = parts.status < 300 ? drift(parts.value, effects.drift) : undefined;
  return drifted === undefined ? undefined : { ...parts, text: stringifyJson(drifted) };
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

/** Every pet of a body, changed; undefined when there is none. */
function drift(value: unknown, kind: Drift): unknown {
  const pets: unknown[] = Array.isArray(value) ? value : [value];
  if (pets.length === 0 || !pets.every((pet) => typeof pet === 'object' && pet !== null))
    return undefined;
  const changed = pets.map((pet) => changes[kind](pet as Record<string, unknown>));
  return Array.isArray(value) ? changed : changed[0];
}

/** Whether a fault breaks or hangs the connection before or after the operation runs. */
export function connectionFaultAt(effects: Effects): 'before' | 'after' | undefined {
  const when = effects['network-error'] ?? effects.hang;
  return when === true ? 'before' : when;
}

/** The response of a fault that replaces the operation. A 429 announces the end of the minute. */
export function injectedResponse(
  effects: Effects,
  assumptions: Assumptions,
  minuteEnd: number,
): ResponseParts | undefined {
  const status = effects.status ?? (effects['retry-after'] === undefined ? undefined : 429);
  if (status === undefined) return undefined;
  const answer = injected(status, effects.body, assumptions);
  return status === 429 ? { ...answer, retryAt: minuteEnd } : answer;
}
