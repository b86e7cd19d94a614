import {
  GateRefusedError,
  type GateCall,
  type GateResponse,
  type RateLimitGate,
} from '../../src/index.js';

/** A gate that grants every call after a wait, and writes down how its permits are used; `use` may fail. */
export function recordingGate(
  wait: (asked: number) => void = () => undefined,
  use: () => unknown = () => undefined,
) {
  const permits: string[][] = [];
  const calls: GateCall[] = [];
  const responses: GateResponse[] = [];
  const gate: RateLimitGate = {
    acquire(call) {
      const uses: string[] = [];
      calls.push(call);
      wait(permits.push(uses) - 1);
      const noted = (name: string) => () => {
        uses.push(name);
        return use() as undefined;
      };
      const settle = (response: GateResponse) => (responses.push(response), noted('settle')());
      return Promise.resolve({ settle, lose: noted('lose'), cancel: noted('cancel') });
    },
  };
  return { gate, permits, calls, responses };
}

/** What a permit or a gate that fails does. */
export const failing = {
  throws: (): never => {
    throw new Error('Redis is down');
  },
  rejects: () => Promise.reject(new Error('Redis is down')),
};

/** A gate that lets in `calls`, and refuses the next. */
export function refusing(
  calls: number,
  ...refusal: ConstructorParameters<typeof GateRefusedError>
): RateLimitGate {
  const { gate, permits } = recordingGate();
  const refused = () => Promise.reject(new GateRefusedError(...refusal));
  return { acquire: (call) => (permits.length < calls ? gate.acquire(call) : refused()) };
}
