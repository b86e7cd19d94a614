import type { PetStoreEvent } from './events.js';

/** The name of the `node:diagnostics_channel` on which every event is published. */
export const diagnosticsChannel = 'petstore-client';

export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

type Builtins = {
  process?: {
    getBuiltinModule?: (name: string) => { channel: (name: string) => Channel } | undefined;
  };
};

/** What receives events. */
export type EventListener = (event: PetStoreEvent) => void;

/** Delivers events to the listeners of a client and to the diagnostics channel. An error of a listener does not affect the call. */
export class Emitter {
  readonly listeners: readonly EventListener[];
  readonly channel: Channel | undefined = openChannel();

  constructor(listeners: readonly EventListener[]) {
    this.listeners = listeners;
  }

  emit(event: PetStoreEvent): void {
    for (const listener of this.listeners) {
      try {
        const returned: unknown = listener(event);
        if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
      } catch {
        // An error of a listener, thrown now or later, is ignored.
      }
    }
    if (this.channel?.hasSubscribers) this.channel.publish(event);
  }
}

/** A static import of a `node:` module would break bundles for browsers and edge runtimes. */
function openChannel(): Channel | undefined {
  try {
    return (globalThis as Builtins).process
      ?.getBuiltinModule?.('node:diagnostics_channel')
      ?.channel(diagnosticsChannel);
  } catch {
    // Next's edge runtime has a `process` that throws for what it does not support.
    return undefined;
  }
}
