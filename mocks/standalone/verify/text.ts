import { paint } from '../cli/text.js';

/** What `petstore-mock verify --help` prints. */
export function verifyHelp(stream: { isTTY?: boolean }): string {
  return text.replace(/^(?:petstore-mock verify(?=:)|\w[\w ]*:(?=$))/gm, (title) =>
    paint(stream, 'bold', title),
  );
}

const text = `petstore-mock verify: checks a service, and measures what the mock assumes

Usage: PETSTORE_API_KEY=... petstore-mock verify ADDRESS [options]

First use:
  petstore-mock verify https://staging.petstore.example --dry-run
  PETSTORE_API_KEY=... petstore-mock verify https://staging.petstore.example

A run sends about 35 GET requests, one at a time, in up to 70 seconds. That is about
3.5 % of the 1,000 requests a day of the Free plan. It stops before the quota of the key
is used up. Use a key that no other program uses at the same time.

The report has two parts:
  - the statements of the service interface, and whether each holds;
  - the assumptions of the mock: points that the interface leaves open, such as the
    status for an invalid limit, with the value that this service has.

The API key comes from PETSTORE_API_KEY or from stdin, never from an option.

What may be sent (default: only GET requests):
  --allow-posts        Also send 13 POST requests that the service must refuse.
  --allow-create       Also create pets, and send the POST requests of --allow-posts.
                       The pets stay, because the interface has no DELETE. On a terminal
                       the command asks before it starts.
  --allow-rate-limit   Also use up the quota of the minute twice, to see the 429.
                       Costs two minutes of the quota (Free: about 120 requests).
  --max-requests N     Send at most N requests of every kind, 1 to 1000. Default 40;
                       20 more with POSTs, 140 more with --allow-rate-limit.
  --max-pets N         Create at most N pets, 1 to 100. Default 3. 6 measures all.
  --only NAME          Run only this case, or all cases of a group. Groups: list, get,
                       auth, answer, error, create, limit, or the name of an assumption
                       (invalidLimit). May be repeated; names may be separated by commas.
  --dry-run            Print the requests, and send nothing. Needs no key.

Where and how:
  --base-path PATH     The path before /pets. Default /v1. For a service without a
                       prefix: --base-path ''
  --key-stdin          Read the key from the first line of stdin.
  --second-key         Use a second key, from PETSTORE_SECOND_API_KEY or the second line
                       of stdin. It shows whether each key has its own quota.
  --timeout TIME       Wait at most so long for a response: 5s, 500ms, or a number of
                       milliseconds. Up to 10m. Default 10s.

Output (default: a text report on stdout, the progress on stderr):
  --json               Print the report as JSON.
  --junit FILE         Also write the report as JUnit XML, for CI systems.
  --write FILE         Write the measured values to FILE. petstore-mock --assumptions FILE
                       starts a mock with them. Not written while a statement fails.
                       Values that FILE has, and that this run does not ask for, stay.
  --force              Write the file of --write although a statement fails.
  --check FILE         Compare with the file of an earlier --write: exit code 1 when a
                       value has changed.
  --record FILE        Write each request with its response, without keys and names.
  -q, --quiet          Print no progress.
  -h, --help           Print this text.

Exit code:
  0  every statement that could be judged holds
  1  a statement fails, or a value differs from --check FILE
  2  a mistake on the command line; nothing was sent
  3  inconclusive: the service is not reachable, the key is refused, or the quota is low

Examples:
  petstore-mock verify https://staging.petstore.example --write petstore.assumptions.json
  petstore-mock verify https://staging.petstore.example --check petstore.assumptions.json
  petstore-mock --assumptions petstore.assumptions.json
`;
