import type { Client } from '../run/client.js';
import { asyncRetry } from './async-retry.js';
import { axiosWithRetry } from './axios.js';
import { gotDefaults } from './got.js';
import { kyDefaults } from './ky.js';
import { octokit } from './octokit.js';
import { openaiCore } from './openai.js';
import { smithyStandard } from './smithy.js';

/** The clients that people use today, each with its defaults. */
export const peers: readonly Client[] = [
  gotDefaults,
  kyDefaults,
  openaiCore,
  octokit,
  axiosWithRetry,
  asyncRetry,
  smithyStandard,
];
