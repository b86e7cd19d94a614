import { paint } from '../cli/text.js';

/** What `petstore-mock verify --help` prints. */
export function verifyHelp(stream: { isTTY?: boolean }): string {
  return text.replace(/^(?:petstore-mock verify(?=:)|\w[\w ]*:(?=$))/gm, (title) =>
    paint(stream, 'bold', title),
  );
}

const text = `petstore-mock verify: does a service keep to the interface, and is the mock like it?

Usage: PETSTORE_API_KEY=… petstore-mock verify ADDRESS [options]

It sends about 30 GET requests within about 70 seconds, one at a time, and stops
before the quota of the key runs out. It reports two things:
  - which statements of the service interface hold,
  - which value the service has where the interface is silent: the assumptions
    of the mock, which can then be set to what was measured.

The API key comes from PETSTORE_API_KEY or from stdin, never from a flag.

What may be sent:
  --allow-posts        also POST bodies that a service must refuse: no pet is made
  --allow-create       also create up to 3 pets. They stay: there is no DELETE.
                       On a terminal it asks before it starts
  --allow-rate-limit   also reach the limit twice, to see the 429. It uses up to
                       two minutes of the quota (Free: about 120 requests)
  --max-requests N     never more than N requests                  (40; 60 with POSTs)
  --max-pets N         never more than N pets                      (3)
  --only NAME          only this case, or all of a group: list, auth.missing-401,
                       invalidLimit. Repeat it, or separate names by commas
  --dry-run            print what would be sent, and send nothing

Where and how:
  --base-path PATH     what stands before /pets                    (/v1)
  --key-stdin          read the key from the first line of stdin
  --second-key         PETSTORE_SECOND_API_KEY (or the second line of stdin) is
                       another key: tells whether each key has a quota of its own
  --timeout MS         the longest wait for one answer             (10000)

What comes out:
  --json               the report as JSON on stdout instead of text
  --junit FILE         write the report as JUnit XML, for CI
  --write FILE         write the measured values, for petstore-mock --assumptions
                       FILE; not while a statement fails, unless --force
  --check FILE         compare with such a file: a value that has changed is drift
  --record FILE        write every request with its answer, without keys and names
  -q, --quiet          no progress on stderr
  -h, --help           this text

Exit code:
  0  every statement that could be judged holds
  1  a statement fails, or a value differs from --check FILE
  2  a mistake on the command line
  3  inconclusive: not reachable, key refused, or out of quota

Examples:
  petstore-mock verify https://staging.petstore.example --dry-run
  petstore-mock verify https://staging.petstore.example --write petstore.assumptions.json
  petstore-mock verify https://staging.petstore.example --check petstore.assumptions.json
  petstore-mock --assumptions petstore.assumptions.json
`;
