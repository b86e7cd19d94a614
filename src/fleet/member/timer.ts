import { sleepOn, systemClock, timer, type Clock } from '../../utils/clock.js';

/** A wait that does not keep the process alive. */
export async function idleSleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (clock !== systemClock) return clock.sleep(ms, signal);
  // In browsers, a timer is a number, which has no such method.
  return timer(ms, signal, (handle) => handle.unref?.());
}

/** One alarm at a time: the earliest that was asked for. */
export class Timer {
  readonly #clock: Clock;
  readonly #ring: () => void;
  readonly #fail: (failure: unknown) => void;
  #alarm:
    { readonly at: number; readonly isIdle: boolean; readonly stop: AbortController } | undefined;

  /** @param fail - called instead of `ring` if the clock fails. */
  constructor(clock: Clock, ring: () => void, fail: (failure: unknown) => void) {
    this.#clock = clock;
    this.#ring = ring;
    this.#fail = fail;
  }

  /** Rings at the moment `at`, monotonic ms, if no earlier alarm is set. An idle one does not keep the process alive. */
  set(at: number, isIdle: boolean): void {
    const known = this.#alarm;
    if (known !== undefined && known.at <= at && (isIdle || !known.isIdle)) return;
    this.clear();
    const alarm = { at, isIdle, stop: new AbortController() };
    this.#alarm = alarm;
    const ms = Math.max(0, at - this.#clock.monotonic());
    const sleep = isIdle ? idleSleep : sleepOn;
    const end = (then: () => void) => {
      if (this.#alarm !== alarm) return;
      this.#alarm = undefined;
      then();
    };
    sleep(this.#clock, ms, alarm.stop.signal).then(
      () => end(this.#ring),
      (failure: unknown) => end(() => this.#fail(failure)),
    );
  }

  clear(): void {
    this.#alarm?.stop.abort();
    this.#alarm = undefined;
  }
}

/** A function that runs `run` at the end of the current turn, once however often it is called. */
export function oncePerTurn(run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      run();
    });
  };
}
