/** Names of the headers of the service. Service interface: "Rate limit headers", "Behaviour at the limit". */
export const headers = {
  /** Limit that applies to the caller. */
  limit: 'X-RateLimit-Limit',
  /** Requests remaining in the current window. */
  remaining: 'X-RateLimit-Remaining',
  /** Unix timestamp at which the limit resets. */
  reset: 'X-RateLimit-Reset',
  /** How long to wait after a 429; unit and format are not published. */
  retryAfter: 'Retry-After',
} as const;
