import type { Assumptions } from '../assumptions/assumptions.js';
import type { ServiceClock } from '../clock/clock.js';
import type { Faults } from '../faults/faults.js';
import type { Journal } from '../inspect/journal.js';
import type { KeyRing } from '../limits/keys.js';
import type { Overrides } from './overrides.js';
import type { Random } from '../utils/random.js';
import type { Caller, RateLimiter } from '../limits/limiter.js';
import type { Conduct } from '../inspect/conduct-report.js';
import type { Store } from '../pets/store.js';
import type { Latency } from './types.js';

/** The parts of one service: no two services share any. */
export interface Core {
  readonly assumed: Assumptions;
  readonly basePath: string;
  readonly latency: Latency;
  readonly clock: ServiceClock;
  readonly random: Random;
  readonly ring: KeyRing;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly overrides: Overrides;
  readonly journal: Journal;
  readonly conduct: Conduct;
  /** Stands for all who have no valid key. */
  readonly anonymous: Caller;
  /** The pets that a key sees. */
  storeOf(key: string): Store;
}
