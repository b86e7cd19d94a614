import { retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry';
import type { Client } from '../run/client.js';

/**
 * The retry middleware of AWS's SDK around a fetch, in its default mode. In the adaptive one every waiting call wakes for
 * every token, which for thousands of calls takes hours to play through.
 */
export const smithyStandard: Client = {
  name: 'AWS SDK retries, standard',
  start({ fetch, baseUrl, apiKey }) {
    const strategy = new StandardRetryStrategy(3);
    const options = {
      retryStrategy: () => Promise.resolve(strategy),
      maxAttempts: () => Promise.resolve(3),
    };
    const send = async () => {
      const response = await fetch(`${baseUrl}/pets`, {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
      if (!response.ok) throw failure(response);
      return { response, output: { $metadata: {}, body: (await response.json()) as unknown } };
    };
    const handler = retryMiddleware(options as never)(send as never, {});
    return () => handler({ input: {}, request: {} });
  },
};

/** An error as AWS's deserializers make it: with the status and the response that the retry middleware looks at. */
function failure(response: Response): Error {
  const headers = Object.fromEntries(response.headers);
  return Object.assign(new Error(`status ${response.status}`), {
    $metadata: { httpStatusCode: response.status },
    $response: { statusCode: response.status, headers },
  });
}
