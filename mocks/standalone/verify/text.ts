import { paint } from '../cli/text.js';

/** What `petstore-mock verify --help` prints. */
export function verifyHelp(stream: { isTTY?: boolean }): string {
  return text.replace(/^(?:petstore-mock verify(?=:)|\w[\w ]*:(?=$))/gm, (title) =>
    paint(stream, 'bold', title),
  );
}

const text = `petstore-mock verify: sends requests to a service, and reports what it does

Usage: PETSTORE_API_KEY=... petstore-mock verify ADDRESS [options]

First use:
  1. See what would be sent. This sends nothing, and needs no key.
       petstore-mock verify https://staging.petstore.example --dry-run
  2. Send it.
       PETSTORE_API_KEY=... petstore-mock verify https://staging.petstore.example

What it reports:
  - Statements: each sentence of the service interface, and whether the service does it.
  - Assumptions: points that the interface leaves open, such as the status for an invalid
    limit, with the value that this service has. petstore-mock has a default for each.

What a run costs:
  About 30 GET requests, one after the other. The Free plan has 1,000 requests a day: a
  run takes about 3 % of them. It stops before the quota runs out.
  A run takes up to 70 seconds, and nearly all of this time it waits. To see how the
  service counts the requests of a minute, it must ask again when a minute has passed.
  If the key was used in the last minute, the run first waits 61 seconds more.
  Use a key that no other program uses during the run: its requests would be counted too,
  and the run could not tell how the service counts.

The API key comes from PETSTORE_API_KEY or from stdin, never from an option.

What may be sent (default: only GET requests):
  --allow-posts        Also send 12 POST requests with a mistake in them, or without a
                       key. A correct service refuses them, and creates no pet.
  --allow-create       Also create pets, and send the POST requests of --allow-posts.
                       The pets stay, because the interface has no DELETE. On a terminal
                       the command asks before it starts.
  --max-pets N         With --allow-create: create at most N pets, 1 to 100. Default 3.
                       With 3, nameCharacters (4) and nameLength (6) are not asked. 6 is
                       enough for all: a run never creates more.
  --allow-rate-limit   Also send requests until the service refuses one (status 429), wait
                       until it accepts requests again, and do it once more. Only this
                       shows what a 429 looks like, and its Retry-After.
                       Cost: all requests of two minutes (Free plan: about 100), and two
                       minutes more. Each time, the service refuses the key for up to a
                       minute, for every program that uses it. It gives no reason for a
                       ban: after one 429 the run sends nothing until the wait is over.
  --max-requests N     Never send more than N requests in all, 1 to 1000. Default:
                         40   GET requests only
                         60   with --allow-posts or --allow-create
                         180  with --allow-rate-limit
                         200  with --allow-rate-limit and one or both others
                       180 and 200 are enough for the Free plan. For Pro, give 700.
  --second-key         Also send 4 requests with two keys in turn. They show whether each
                       key has a quota of its own, or all keys share one. The second key
                       comes from PETSTORE_SECOND_API_KEY, or from the second line of
                       stdin with --key-stdin.

What is asked (default: all):
  --only NAME          Ask only this. NAME is a case (list.default-20), a group of cases
                       (list), or an assumption (invalidLimit). What it needs is asked as
                       well. For several, separate them with commas, or repeat --only.
  --list               Print all names for --only, each with what it asks. Sends nothing,
                       and needs no ADDRESS and no key.
  --dry-run            Print the requests of this run. Sends nothing, and needs no key.

Where and how:
  --base-path PATH     The path before /pets. Default /v1. For a service without a
                       prefix: --base-path /
  --key-stdin          Read the key from the first line of stdin.
  --timeout TIME       Wait at most so long for a response: 5s, 500ms, or a number of
                       milliseconds. Up to 10m. Default 10s.

Output (default: a text report on stdout, the progress on stderr):
  --json               Print the report as JSON.
  --junit FILE         Also write the report as JUnit XML, for CI systems.
  --write FILE         Write the measured assumptions to FILE, as JSON: each value, how
                       sure it is, and the requests that showed it. To start a mock that
                       does the same: petstore-mock --assumptions FILE
                       FILE is not written if a statement fails, if a value differs from
                       --check, if nothing was measured, or if no value in it would
                       change. Values that this run did not ask for are kept.
  --force              Write FILE of --write even if a statement fails or a value differs.
  --check FILE         Compare with FILE of an earlier --write: exit code 1 when a value
                       has changed.
  --record FILE        Write all requests and responses, keys and pet names removed.
                       Overwrites only an earlier recording.
  -q, --quiet          Print no progress.
  -h, --help           Print this text.

Signs in the report (a statement that holds, ✓, is only counted):
  ✗ list.limit         the service does not do what the interface says
  ? list.limit         undecided: the responses do not show it. The line says why
  = invalidLimit       measured: the value that the service has
  ! storeOrders        the service does something for which the mock has no value
  - 4 not asked        the line says why, and often the option that would ask
  The first case is reach: GET /pets must give a list of pets. With "? reach" or "✗ reach"
  it did not, for the reason in that line, and nothing else is asked. The exit code is 3
  for "? reach", and 1 for "✗ reach".

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
