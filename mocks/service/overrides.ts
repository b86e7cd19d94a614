import type { OperationName } from '../../src/contract/index.js';
import type { Inputs } from '../pets/inputs.js';
import { Problem } from '../http/problem.js';
import type { Results } from '../pets/resolvers.js';

/**
 * Answers an operation instead of the service: with what the operation answers with, or with any `Response` (sent as it
 * is, with the rate-limit headers). `next()` asks the next override, and at last the live service; when that refuses, it
 * throws the refusal, which is then the answer. `input.key` is the key of the request; it is not enumerable, so that
 * `{ ...input, id: 7 }` is a pet and no more.
 */
export type OverrideHandler<Name extends OperationName> = (
  input: Inputs[Name] & { readonly key: string },
  next: () => Promise<Results[Name]>,
) => Results[Name] | Response | Promise<Results[Name] | Response>;

interface Override {
  readonly operation: OperationName;
  readonly handler: OverrideHandler<OperationName>;
  left: number;
}

/** A copy of the input, with the key where no copy or text of it takes it along. */
function withKey(input: object, key: string): object {
  return Object.defineProperty({ ...input }, 'key', { value: key });
}

/** The state of the overrides: how often each is still to be used. */
export type OverrideState = readonly Readonly<Override>[];

/** The overrides of a service, the newest first. */
export class Overrides {
  #all: Override[] = [];

  add<Name extends OperationName>(
    operation: Name,
    handler: OverrideHandler<Name>,
    times: number,
  ): void {
    if (typeof handler !== 'function')
      throw new TypeError('override(operation, handler): the handler must be a function');
    if (times !== Infinity && !(Number.isInteger(times) && times >= 1))
      throw new TypeError(`times must be an integer of 1 or more, got ${times}`);
    this.#all.unshift({
      operation,
      handler: handler as unknown as OverrideHandler<OperationName>,
      left: times,
    });
  }

  /** Runs the overrides of an operation around `live`; undefined when there are none. */
  run(
    operation: OperationName,
    input: object,
    key: string,
    live: () => unknown,
  ): Promise<unknown> | undefined {
    const own = this.#all.filter(
      (override) => override.operation === operation && override.left > 0,
    );
    if (own.length === 0) return undefined;
    const step = async (at: number): Promise<unknown> => {
      const override = own[at];
      if (override) {
        override.left--;
        return override.handler(withKey(input, key) as never, () => step(at + 1) as Promise<never>);
      }
      const result = live();
      // A refusal is a value elsewhere; through `next()` it can only be thrown.
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      if (result instanceof Problem) throw result;
      return result;
    };
    return step(0);
  }

  save(): OverrideState {
    return this.#all.map((override) => ({ ...override }));
  }

  load(state: OverrideState): void {
    this.#all = state.map((override) => ({ ...override }));
  }
}
