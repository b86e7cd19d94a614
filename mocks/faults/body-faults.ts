import * as z from 'zod/mini';
import { stringifyJson } from '../../src/contract/json.js';
import { durationSchema, type MockClock } from '../clock/duration.js';
import type { ResponseParts } from '../http/response.js';
import { realTime } from '../clock/macrotask.js';
import { untilAborted } from '../utils/abort.js';

/** A response with a body, and what a fault needs to send it in another way. */
interface Body {
  readonly parts: ResponseParts;
  readonly text: string;
  readonly clock: MockClock;
  readonly signal: AbortSignal | undefined;
}

/** What a fault makes of a body: undefined where it changes nothing. `how`: the value of the fault. */
type Run<How> = (body: Body, how: How) => Partial<ResponseParts> | undefined;

const flag = z.boolean();

const row = <Schema extends z.ZodMiniType>(schema: Schema, run: Run<z.output<Schema>>) => ({
  schema: z.optional(schema),
  run,
});

const page =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

type Pet = Readonly<Record<string, unknown>>;

/** How a pet differs from the contract. */
const drifts = {
  'unknown-status': (pet: Pet) => ({ ...pet, status: 'reserved' }),
  // Not the name of a field of a pet, which a strict client would accept.
  'extra-field': (pet: Pet) => ({ ...pet, unknownField: 'added by drift' }),
  'missing-field': ({ name: _, ...pet }: Pet) => pet,
  'null-field': (pet: Pet) => ({ ...pet, name: null }),
  'string-number': (pet: Pet) => ({ ...pet, id: String(pet['id']) }),
  // An int64 that a double cannot represent.
  'huge-id': (pet: Pet) => ({ ...pet, id: 2n ** 63n - 1n }),
};
/** How a 2xx body differs from the contract. */
export type Drift = keyof typeof drifts;

/** Every pet of a body, changed; undefined where it has anything else. */
function drift(value: unknown, kind: Drift): unknown {
  const pets = [value].flat();
  if (!pets.every((pet) => typeof pet === 'object' && pet !== null)) return undefined;
  const changed = pets.map((pet) => drifts[kind](pet as Pet));
  return Array.isArray(value) ? changed : changed[0];
}

const pieces = 10;

/** Long enough for the first half of a body to leave, in real ms. */
const lateBy = 5;

/** A stream that fails with the signal's reason when it is aborted, and whose chunks are told when it has ended. */
function stream(
  signal: AbortSignal | undefined,
  make: (ended: AbortSignal) => AsyncGenerator<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const chunks = make(ended.signal);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await untilAborted(chunks.next(), signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          ended.abort();
          controller.error(error);
        }
      },
      cancel: () => ended.abort(),
    },
    { highWaterMark: 0 },
  );
}

/** The outcomes that change the body of a response: what each takes, and what it does. */
export const bodyFaults = {
  /** Outcome: the body is cut off in the middle. */
  'drop-body': row(flag, ({ signal }) => ({
    // Together with the `Content-Length` of the whole body, this is a body cut off in the middle on every transport. Some of
    // them treat an immediate error as the end of the body.
    stream: (bytes) =>
      stream(signal, async function* () {
        yield bytes.slice(0, Math.floor(bytes.length / 2));
        await realTime(lateBy);
        throw new TypeError('terminated');
      }),
    isUnreadable: true,
  })),
  /** Outcome: the body arrives in ten chunks over this time on the service's clock (`true`: 1 s). */
  'slow-body': row(z.union([z.boolean(), durationSchema()]), ({ clock, signal }, ms) => ({
    stream: (bytes) =>
      stream(signal, async function* (ended) {
        // A slice begins and ends at whole bytes. Some pieces of a short body are empty.
        const size = bytes.length / pieces;
        for (let piece = 0; piece < pieces; piece++) {
          await clock.sleep((typeof ms === 'number' ? ms : 1_000) / pieces, ended);
          yield bytes.slice(piece * size, (piece + 1) * size);
        }
      }),
  })),
  /** Outcome: the body ends in `{` in place of its last character, so that it is not JSON. */
  'malformed-json': row(flag, ({ text }) => ({
    text: `${text.slice(0, -1)}{`,
    isUnreadable: true,
  })),
  /** Outcome: a body is missing. */
  'empty-body': row(flag, () => ({ text: undefined, isUnreadable: true })),
  /** Outcome: an HTML page, as a proxy sends it. */
  html: row(flag, () => ({ text: page, type: 'text/html;charset=utf-8', isUnreadable: true })),
  /** Outcome: a 2xx body that differs from the contract. Any other response is unchanged, and counts as a hit. */
  drift: row(z.literal(Object.keys(drifts) as Drift[]), ({ parts: { status, value } }, kind) => {
    const drifted = status < 300 ? drift(value, kind) : undefined;
    return drifted === undefined ? undefined : { text: stringifyJson(drifted) };
  }),
};
