/** A port of the loopback on which nobody listens. */
// @ts-nocheck

export declare const freePort: () => Promise<number>;
