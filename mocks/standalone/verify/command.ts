/** `petstore-mock verify`: the verification as a command. */
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { stringifyJson } from '../../../src/contract/json.js';
import {
  readAssumptionsFile,
  writeAssumptionsFile,
  type AssumptionsFile,
} from '../../assumptions/file.js';
import { plannedRequests, reportText, verifyService } from '../../verify/index.js';
import { nameList } from '../../verify/selection.js';
import type { Permit, Progress, VerifyOptions, VerifyReport } from '../../verify/types.js';
import { UsageError } from '../cli/check-flags.js';
import { paint } from '../cli/text.js';
import type { VerifyCliOptions } from './options.js';

/** Runs the command, and gives its exit code. @throws UsageError for a mistake on the command line. */
export async function runVerify(options: VerifyCliOptions): Promise<number> {
  const { list, check, write, quiet } = options;
  // Files are written also when stdout is closed (`petstore-mock verify … | head -1`).
  process.stdout.on('error', () => undefined);
  if (list) {
    process.stdout.write(nameList());
    return 0;
  }
  const recorded = check === undefined ? undefined : readFile('--check', check);
  if (write !== undefined) checkOutput(write);
  const planned = await orUsageError(() => plannedRequests(verifyOptions(options)));
  if (options['dry-run']) {
    process.stdout.write(dryRunText(options, planned));
    return 0;
  }
  const keys = readKeys(options);
  if (options['allow-create'] && !(await isConfirmed(options))) return 2;
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('interrupted'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const report = await orUsageError(() =>
    verifyService({
      ...verifyOptions(options),
      ...keys,
      ...(recorded && { recorded }),
      signal: stop.signal,
      onProgress: quiet ? () => undefined : showProgress,
    }),
  );
  if (process.stderr.isTTY && !quiet) process.stderr.write('\r\x1b[K');
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.stdout.write(
    options.json
      ? `${stringifyJson(report)}\n`
      : reportText(report, (style, part) => paint(process.stdout, style, part)),
  );
  if (write !== undefined) writeMeasured(write, report);
  return report.exitCode;
}

/** What an option of the function is called on the command line. */
const onTheLine: Readonly<Record<string, string>> = {
  baseUrl: 'ADDRESS',
  basePath: '--base-path',
  only: '--only',
};

/** Options that cannot be are a mistake on the command line, in the words of the command line. */
async function orUsageError<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof TypeError || error instanceof RangeError
      ? new UsageError(
          error.message.replace(/^\w+/, (name) => onTheLine[name] ?? name),
          { cause: error },
        )
      : error;
  }
}

const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];

function verifyOptions(options: VerifyCliOptions): VerifyOptions {
  const { address, timeout, only, 'base-path': basePath, 'max-requests': maxRequests } = options;
  return {
    baseUrl: address,
    allow: permits.filter((permit) => options[`allow-${permit}`]),
    timeout,
    ...(maxRequests !== undefined && { maxRequests }),
    ...(basePath !== undefined && { basePath }),
    ...(only && { only }),
  };
}

function readKeys(options: VerifyCliOptions): Pick<VerifyOptions, 'apiKey' | 'secondKey'> {
  const { PETSTORE_API_KEY, PETSTORE_SECOND_API_KEY } = process.env;
  const isStdin = options['key-stdin'];
  const [first, second] = isStdin
    ? readFileSync(0, 'utf8').split(/\r?\n/)
    : [PETSTORE_API_KEY, PETSTORE_SECOND_API_KEY];
  const apiKey = needKey(
    first,
    isStdin
      ? 'stdin holds no key in its first line.'
      : 'there is no API key: set PETSTORE_API_KEY, or use --key-stdin.',
  );
  if (!options['second-key']) return { apiKey };
  const why = isStdin ? 'stdin holds no second line.' : 'set PETSTORE_SECOND_API_KEY.';
  return { apiKey, secondKey: needKey(second, `--second-key: ${why}`) };
}

/** @throws UsageError with `problem` where there is no key. */
function needKey(given: string | undefined, problem: string): string {
  const key = given?.trim() ?? '';
  if (key === '') throw new UsageError(problem);
  return key;
}

/** Pets that are created stay: a person is asked first. Without a terminal the flag alone is enough. */
async function isConfirmed({ address, 'key-stdin': isStdin }: VerifyCliOptions): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || isStdin) return true;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(
    `This creates 3 pets at ${address}. They stay: the interface has no DELETE. Go on? [y/N] `,
  );
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function dryRunText({ address }: VerifyCliOptions, planned: readonly string[]): string {
  return [
    `Would send to ${address}:`,
    ...planned.map((request) => `  ${request}`),
    'Nothing was sent. A path with a name in braces depends on a response.',
    '',
  ].join('\n');
}

/** @throws UsageError for a file that cannot be read, or is none. */
function readFile(flag: string, path: string): AssumptionsFile {
  try {
    return readAssumptionsFile(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${flag} ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Before a run of a minute, not after it. @throws UsageError for a file that cannot be written, or holds something else. */
function checkOutput(path: string): void {
  let isThere: boolean;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error('it is a directory');
    isThere = found !== undefined;
    accessSync(isThere ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--write ${path} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (isThere) readFile('--write', path);
}

function writeMeasured(path: string, { drift = [], measured }: VerifyReport): void {
  const say = (text: string) => process.stderr.write(`${path} was ${text}\n`);
  const count = Object.keys(measured.assumptions).length;
  if (drift.length > 0) say('not written: a value differs from --check.');
  else if (count === 0) say('not written: nothing was measured.');
  else {
    writeFileSync(path, writeAssumptionsFile(measured));
    say(`written: ${count} assumptions.`);
  }
}

/** How far the run is: one line that is written over on a terminal, a line for each wait elsewhere. */
function showProgress({ name, requests, maxRequests, remaining, waits }: Progress): void {
  const left = remaining === undefined ? '' : ` · ${remaining} left this minute`;
  const doing = waits ? `waits ${Math.ceil(waits.ms / 1_000)} s for ${waits.why}` : name;
  const line = `${requests} of ${maxRequests} requests${left} · ${doing}`;
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  else if (waits) process.stderr.write(`${line}\n`);
}
