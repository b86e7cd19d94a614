import { readFlags, UsageError, type OptionsOf } from '../cli/flags.js';
import * as row from '../cli/flags.js';

/** The flags of `petstore-mock verify`, in the order of the help. */
export const verifyFlags = {
  'allow-posts': row.aSwitch(
    'also send POST requests with a mistake in them, or without a key. A correct service refuses them, and creates no pet',
  ),
  'allow-create': row.aSwitch(
    'also create 3 pets, and send the POST requests of --allow-posts. The pets stay, because the run removes none',
  ),
  'allow-rate-limit': row.aSwitch(
    'also send requests until the service refuses one (status 429), and one more after the wait. Only this shows what a 429 looks like. Cost: the requests of a minute; until it is over, the service refuses the key for every program that uses it. Use a key of the Free plan',
  ),
  'max-requests': row.flag(
    'N',
    'never send more than N requests in all, 1 to 1000. Default: 40; 20 more with --allow-posts or --allow-create, 80 more with --allow-rate-limit',
    row.integer(1, 1_000),
  ),
  'second-key': row.aSwitch(
    'also send 4 requests with two keys in turn, which show whether each key has a quota of its own. The second key comes from PETSTORE_SECOND_API_KEY, or from the second line of stdin',
  ),
  only: row.list(
    'NAME',
    'ask only this statement (list.default-20), group of statements (list), or assumption (minuteWindow). Separate several with commas, or repeat --only',
    String,
  ),
  list: row.aSwitch('print all names for --only. Sends nothing, needs no ADDRESS and no key'),
  'dry-run': row.aSwitch('print the requests of this run. Sends nothing, and needs no key'),
  'base-path': row.flag(
    'PATH',
    'the path before /pets. Default /v1. Without a prefix: --base-path /',
    String,
  ),
  'key-stdin': row.aSwitch('read the key from the first line of stdin'),
  timeout: row.flag(
    'TIME',
    'wait at most so long for a response: 5s, 500ms, or a number of milliseconds, up to 10m',
    row.span(1, 600_000),
    '10s',
  ),
  json: row.aSwitch('print the report as JSON'),
  write: row.flag(
    'FILE',
    'write the measured assumptions to FILE, for petstore-mock --assumptions FILE. Not when nothing was measured, or when a value differs from --check',
    String,
  ),
  check: row.flag(
    'FILE',
    'compare with FILE of an earlier --write: exit code 1 when a value has changed',
    String,
  ),
  quiet: row.aSwitch('print no progress', 'q'),
  help: row.aSwitch('print this text', 'h'),
};

/** What the command line of `petstore-mock verify` asks for. */
export type VerifyCliOptions = OptionsOf<typeof verifyFlags> & { readonly address: string };

/** @throws UsageError that names the flag, and the nearest known one. */
export function readVerifyOptions(args: readonly string[]): VerifyCliOptions {
  const read = readFlags(args, verifyFlags);
  const [address = '', ...more] = read.others;
  if (address === '' && !read.help && !read.list)
    throw new UsageError(
      'verify needs the address of the service, as in petstore-mock verify https://staging.petstore.example',
    );
  if (more.length > 0)
    throw new UsageError(
      `verify takes one address, not ${read.others.length}: ${read.others.join(', ')}.`,
    );
  return { ...read, address };
}
