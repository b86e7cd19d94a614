import { headers } from '../../src/contract/index.js';
import { explainHeader } from './response.js';

/** Headers of an answer that a page of another origin must be allowed to read: for `Access-Control-Expose-Headers`. */
export const exposedHeaders: readonly string[] = [
  headers.limit,
  headers.remaining,
  headers.reset,
  headers.retryAfter,
  'Date',
  'Allow',
  explainHeader,
];
