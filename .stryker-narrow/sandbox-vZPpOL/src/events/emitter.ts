// @ts-nocheck
import { ignoreFailure } from '../utils/abort.js';
import type { PetStoreEvent } from './events.js';

/** The name of the `node:diagnostics_channel` on which every event is published. */
export const diagnosticsChannel = 'petstore-client';

/** What receives events. */
export type EventListener = (event: PetStoreEvent) => void;

/** Delivers events to the listeners of a client and to the diagnostics channel. An error of a listener does not affect the call. */
export class Emitter {
  readonly #listeners: readonly EventListener[];
  readonly #channel = openChannel();

  constructor(listeners: readonly EventListener[]) {
    this.#listeners = listeners;
  }

  /** `false` if there is no listener, so that no event needs to be created. */
  get isObserved(): boolean {
    return this.#listeners.length > 0 || this.#channel?.hasSubscribers === true;
  }

  emit(make: () => PetStoreEvent): void {
    if (!this.isObserved) return;
    const event = make();
    for (const listener of this.#listeners) ignoreFailure(() => listener(event));
    this.#channel?.publish(event);
  }
}

/** A static import of a `node:` module would break bundles for browsers and edge runtimes. */
function openChannel() {
  try {
    const diagnostics = globalThis.process.getBuiltinModule('node:diagnostics_channel');
    return diagnostics.channel(diagnosticsChannel);
  } catch {
    // There is no `process`, or it throws for what it does not support, as in Next's edge runtime.
    return undefined;
  }
}
