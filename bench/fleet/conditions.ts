import type { Clock } from '../../src/index.js';

/** From when to when, ms since the run began. */
export type Span = readonly [from: number, to: number];

/** What may happen to the store. */
export interface StoreControl {
  readonly clock: Clock;
  /** It loses its memory. */
  readonly wipe: () => void;
  /** A replica takes its place, which lacks what was written in the last `ms`. */
  readonly rollBack: (ms: number) => void;
  /** Its clock is set by `ms`. */
  readonly setClock: (ms: number) => void;
}

/** What goes wrong during a run. Everything left out goes well. */
export interface Conditions {
  /** The store's clock behind the service's, ms. */
  readonly storeSkew: number;
  /** The store does not answer, or answers this many ms late. */
  readonly down?: readonly Span[];
  readonly slow?: { readonly span: Span; readonly ms: number };
  /** When a process stands still, as by SIGSTOP; `Infinity` as the end: it was killed. */
  readonly stopped?: (process: number) => readonly Span[];
  /** Processes whose calls have high priority. */
  readonly high?: (process: number) => boolean;
  readonly perDay?: number;
  readonly fallback?: 'share' | 'hold';
  /** Called once at the start of the run: plans what happens to the store. */
  readonly start?: (store: StoreControl) => void;
}
