// @ts-nocheck
import type { PetStoreEvent } from 'petstore-client';

/** Shows how long the page still has to wait for the rate limit. */
export class Hold {
  readonly #banner: HTMLElement;
  #until = 0;
  #waiting = 0;
  #timer: number | undefined;

  constructor(banner: HTMLElement) {
    this.#banner = banner;
  }

  /** The listener for the option `onEvent` of the client. */
  readonly onEvent = (event: PetStoreEvent): void => {
    if (event.type === 'rate-limit-hold') this.#until = event.until.getTime();
    else if (event.type === 'rate-limit-resume') this.#until = 0;
    else return;
    this.#draw();
  };

  /** Shows the wait while a call is pending. */
  async during<T>(call: Promise<T>): Promise<T> {
    this.#waiting++;
    this.#draw();
    try {
      return await call;
    } finally {
      this.#waiting--;
      this.#draw();
    }
  }

  #draw(): void {
    const seconds = Math.ceil((this.#until - Date.now()) / 1_000);
    const shown = this.#waiting > 0 && seconds > 0;
    this.#banner.hidden = !shown;
    if (shown) this.#banner.textContent = `Too many requests. The page continues in ${seconds} s.`;
    clearTimeout(this.#timer);
    if (shown) this.#timer = window.setTimeout(() => this.#draw(), 1_000);
  }
}
