import { AdaptiveRetryStrategy, retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry';
import type { Client } from '../client.js';

/** The retry middleware of AWS's SDK around a fetch, in its default mode and in the one that adapts its rate. */
export const smithyStandard: Client = smithy('AWS SDK retries, standard', () => new StandardRetryStrategy(3));
export const smithyAdaptive: Client = smithy('AWS SDK retries, adaptive', () => new AdaptiveRetryStrategy(() => Promise.resolve(3)));

type Strategy = StandardRetryStrategy | AdaptiveRetryStrategy;

function smithy(name: string, create: () => Strategy): Client {
  return {
    name,
    start({ fetch, baseUrl, apiKey }) {
      const strategy = create();
      const options = { retryStrategy: () => Promise.resolve(strategy), maxAttempts: () => Promise.resolve(3) };
      const send = async () => {
        const response = await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${apiKey}` } });
        if (!response.ok) throw failure(response);
        return { response, output: { $metadata: {}, body: (await response.json()) as unknown } };
      };
      const handler = retryMiddleware(options as never)(send as never, {});
      return () => handler({ input: {}, request: {} });
    },
  };
}

/** An error as AWS's deserializers make it: with the status and the response that the retry middleware looks at. */
function failure(response: Response): Error {
  const headers = Object.fromEntries(response.headers);
  return Object.assign(new Error(`status ${response.status}`), {
    $metadata: { httpStatusCode: response.status },
    $response: { statusCode: response.status, headers },
  });
}
