import { styleText } from 'node:util';
import type { MockService } from '../../service/types.js';
import { flagHelp } from './flags.js';
import { flags } from './options.js';

/** Adds colours on a terminal, but not in a pipe, with NO_COLOR or on a terminal without colours. */
export function paint(
  stream: { isTTY?: boolean },
  style: 'bold' | 'dim' | 'red' | 'cyan',
  text: string,
): string {
  const { NO_COLOR = '', TERM } = process.env;
  if (stream.isTTY !== true || NO_COLOR !== '' || TERM === 'dumb') return text;
  return styleText(style, text, { validateStream: false });
}

/** What `--help` prints, with its titles in bold on a terminal. */
export function help(stream: { isTTY?: boolean }, words: string = text): string {
  return words.replace(/^(?:petstore-mock(?: verify)?(?=:)|\w[\w ]*:(?= |$))/gm, (title) =>
    paint(stream, 'bold', title),
  );
}

const text = `petstore-mock: the whole animal store service on this machine, for tests.

Usage: petstore-mock [options]
       petstore-mock verify ADDRESS    check a service, and measure its assumptions:
                                       petstore-mock verify --help

${flagHelp(flags)}

Keys that always exist: mock-free, mock-pro, mock-business, mock-enterprise,
each on the plan of its name.

Examples:
  petstore-mock
      curl -H 'Authorization: Bearer mock-free' http://127.0.0.1:4010/v1/pets

  petstore-mock --port 0 --json
      for scripts: {"url":"http://127.0.0.1:41235","keys":{"mock-free":"free",...}}

  petstore-mock --key tiny=5/100
      the sixth request of a minute is answered 429

  petstore-mock --clock virtual
      curl -X POST -H 'Content-Type: application/json' -d '{"advance":"61s"}' \\
        http://127.0.0.1:4010/_mock/clock

  petstore-mock --port 4010
      curl -X POST -H 'Content-Type: application/json' -d '{"status":503,"times":2}' \\
        http://127.0.0.1:4010/_mock/faults
      the next two requests fail; curl -X DELETE to the same address removes it

  petstore-mock --state pets.json
      keeps the pets across restarts

  curl -H 'X-Mock-World: worker-3' -H 'Authorization: Bearer mock-free' \\
    http://127.0.0.1:4010/v1/pets
      a world with pets, quotas, faults and a clock of its own, for parallel tests

While it runs, /_mock/ is a page with pets, requests and quotas, /_mock/openapi.json
describes the control API, and /openapi.json the service itself.

To stop it from a script, run node_modules/.bin/petstore-mock and send SIGTERM to
it: npx does not pass the signal on.
`;

/** With commas. `toLocaleString` would load the data of its languages, which takes a tenth of the start. */
const grouped = (count: number) => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** The text that is printed once the service listens. */
export function banner(service: MockService, url: string, stream: { isTTY?: boolean }): string {
  const keys = service.keys.list();
  const width = Math.max(...keys.map(({ key }) => key.length));
  const lines = keys.map(
    ({ key, quota }) =>
      `    ${key.padEnd(width)}  ${grouped(quota.perMinute)} a minute, ${grouped(quota.perDay)} a day`,
  );
  return `${paint(stream, 'bold', 'petstore-mock')} listens on ${paint(stream, 'cyan', url)} with ${service.pets.size} pets.

  Keys
${lines.join('\n')}

  Page         ${url}/_mock/
  Description  ${url}/openapi.json

  Try
    curl -H 'Authorization: Bearer mock-free' '${url}/v1/pets?limit=3'

${paint(stream, 'dim', 'Ctrl+C stops it.')}
`;
}

/** The same as one line of JSON. */
export function machineBanner({ keys, pets }: MockService, url: string): string {
  const plans = Object.fromEntries(keys.list().map(({ key, plan }) => [key, plan]));
  return `${JSON.stringify({ url, keys: plans, pets: pets.size })}\n`;
}
