import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { atEnd } from './at-end.js';
import { listening } from './hostile.js';
import type { RedisServer } from './redis-server.js';

/**
 * The address of a server on loopback, until the test file ends, with the REST protocol of Upstash: commands as JSON lists, one or
 * a pipeline, and their results.
 */
export async function upstashServer(redis: RedisServer): Promise<string> {
  const server = createServer((request, response) => {
    const isBase64 = request.headers['upstash-encoding'] === 'base64';
    const run = async (args: unknown[]) => {
      const texts = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)));
      try {
        const result = await redis.command(...texts);
        const isText = isBase64 && typeof result === 'string';
        return { result: isText ? Buffer.from(result).toString('base64') : result };
      } catch (failure) {
        return { error: (failure as Error).message };
      }
    };
    const answer = async (body: unknown[]) => {
      const results = await (request.url === '/pipeline'
        ? Promise.all((body as unknown[][]).map(run))
        : run(body));
      if ('error' in results) response.statusCode = 400;
      response.end(JSON.stringify(results));
    };
    void json(request).then((body) => answer(body as unknown[]));
  });
  const { port, close } = await listening(server);
  atEnd(close);
  return `http://127.0.0.1:${port}`;
}
