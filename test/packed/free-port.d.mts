/** A port of the loopback on which nobody listens. */
export declare const freePort: () => Promise<number>;
