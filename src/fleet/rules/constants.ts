// The numbers of the rules. Times are ms. Numbers that the gate of one process also uses are in `rate-limit/rules`.

export const minute = 60_000;
/** Answers after which the fleet may be sure that nobody else spends its quota. With 20, as in one process, 4 processes make 78 trips instead of 64. */
export const evidence = 8;
/** A lease for calls that wait already: long enough to send them. */
export const shortLease = 3_000;
/** A lease for calls to come outlives a window, so that one trip serves it; while the quota is scarce, others need what is not used of it sooner. */
export const longLease = 65_000;
export const scarceLease = 40_000;
/** A lease counts as sent this long after its end: a request that was sent at its end has its response by then. */
export const grace = 3_000;
/** A member that holds nothing and says nothing for this long is forgotten: two windows, and some time for its calls to begin again. */
export const forgetAfter = 150_000;
/** After lost state nothing is sent for `rest`, in which short leases that the state does not know end, and little is granted for `careful`. */
export const rest = 5_000;
export const careful = 30_000;
/** A clock of the store that goes back, or ahead, by more than this has been set. Less may be the difference of two machines: the state waits for them. */
export const clockStep = 60_000;
/** A probe whose answer is not reported after this long is given to somebody else. */
export const probeTimeout = 2_000;
/** The same while nobody knows how long an answer takes. */
export const firstProbeTimeout = 10_000;
/** Permits that are kept for calls of high priority are released this long before the window ends: such a call can wait for the next one. */
export const releaseKept = 500;
/** A window that rolled in the last ten minutes still does; a log that was wrong is not used for an hour. */
export const rollingFor = 600_000;
export const distrustLog = 3_600_000;
/** What was spent up to this long ago still counts in a rolling minute, with the errors of two clocks. */
export const rollingMinute = 61_100;
/** How long the log of spent requests is kept, and how late the Reset of a window may arrive. */
export const longestPast = 65_000;
/** How long the store keeps the state of a key that nobody uses: a day, and an hour for a clock change. */
export const keep = 90_000_000;
/** Long ago, where `-Infinity` would not survive JSON. */
export const never = -1e12;
