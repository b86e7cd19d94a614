/** `petstore-mock verify`: the verification as a command. */
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import {
  readAssumptionsFile,
  writeAssumptionsFile,
  type AssumptionsFile,
} from '../../assumptions/file.js';
import { stringifyJson } from '../../../src/contract/json.js';
import {
  plannedRequests,
  readRecording,
  reportJunit,
  reportText,
  verifyService,
} from '../../verify/index.js';
import { measurableOf } from '../../verify/earlier-names.js';
import { isSame, withEarlier } from '../../verify/report/measured.js';
import type { Progress, VerifyOptions, VerifyReport } from '../../verify/types.js';
import { UsageError } from '../cli/check-flags.js';
import { paint } from '../cli/text.js';
import { dryRun } from './dry-run.js';
import { caseList } from './list.js';
import type { VerifyCliOptions } from './options.js';

/** Runs the command, and gives its exit code. @throws UsageError for a mistake on the command line. */
export async function runVerify(options: VerifyCliOptions): Promise<number> {
  const { allow } = options;
  // Files are written also when stdout is closed (`petstore-mock verify … | head -1`).
  process.stdout.on('error', () => undefined);
  if (options.list) {
    process.stdout.write(caseList());
    return 0;
  }
  const recorded = options.check === undefined ? undefined : readFile(options.check);
  const earlier = options.write === undefined ? undefined : readEarlier(options.write);
  checkOutputs(options);
  const planned = await orUsageError(() => plannedRequests(verifyOptions(options)));
  if (options.dryRun) {
    process.stdout.write(dryRun(options, planned));
    return 0;
  }
  const keys = readKeys(options);
  if (allow.includes('create') && !(await isConfirmed(options))) return 2;
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('interrupted'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = options.quiet ? undefined : new ProgressLine();
  let report: VerifyReport;
  try {
    report = await orUsageError(() =>
      verifyService({
        ...verifyOptions(options),
        ...keys,
        ...(recorded && { recorded }),
        signal: stop.signal,
        onProgress: (now) => progress?.show(now),
      }),
    );
  } finally {
    progress?.clear();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  print(report, options);
  writeFiles(report, options, earlier);
  return report.exitCode;
}

/** What an option of the function is called on the command line. */
const onTheLine: Readonly<Record<string, string>> = {
  baseUrl: 'ADDRESS',
  basePath: '--base-path',
  only: '--only',
};

/** Options that cannot be are a mistake on the command line, in the words of the command line. */
async function orUsageError<Result>(act: () => Result | Promise<Result>): Promise<Result> {
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

function verifyOptions(options: VerifyCliOptions): VerifyOptions {
  const { address, basePath, allow, maxRequests, maxPets, timeout, only } = options;
  return {
    baseUrl: address,
    allow,
    ...(maxRequests !== undefined && { maxRequests }),
    ...(basePath !== undefined && { basePath }),
    ...(maxPets !== undefined && { maxPets }),
    ...(timeout !== undefined && { timeout }),
    ...(only && { only }),
  };
}

function readKeys({
  keyFromStdin,
  secondKey,
}: VerifyCliOptions): Pick<VerifyOptions, 'apiKey' | 'secondKey'> {
  const { PETSTORE_API_KEY, PETSTORE_SECOND_API_KEY } = process.env;
  const [first, second] = keyFromStdin
    ? readFileSync(0, 'utf8').split(/\r?\n/)
    : [PETSTORE_API_KEY, PETSTORE_SECOND_API_KEY];
  const apiKey = needKey(
    first,
    keyFromStdin
      ? 'stdin holds no key in its first line.'
      : 'there is no API key: set PETSTORE_API_KEY, or use --key-stdin.',
  );
  if (!secondKey) return { apiKey };
  const why = keyFromStdin ? 'stdin holds no second line.' : 'set PETSTORE_SECOND_API_KEY.';
  return { apiKey, secondKey: needKey(second, `--second-key: ${why}`) };
}

/** @throws UsageError with `problem` where there is no key. */
function needKey(given: string | undefined, problem: string): string {
  const key = given?.trim() ?? '';
  if (key === '') throw new UsageError(problem);
  return key;
}

/** Pets that are created stay: a person is asked first. Without a terminal the flag alone is enough. */
async function isConfirmed({
  address,
  maxPets = 3,
  keyFromStdin,
}: VerifyCliOptions): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || keyFromStdin) return true;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(
    `This creates up to ${maxPets} pets at ${address}. They stay: the interface has no DELETE. Go on? [y/N] `,
  );
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** @throws UsageError for a file that cannot be read, or is none. */
function readFile(path: string): AssumptionsFile {
  try {
    return readAssumptionsFile(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`--check ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Before a run of a minute, not after it. @throws UsageError for a file that cannot be written. */
function checkOutputs({ junit, record, write }: VerifyCliOptions): void {
  const taken = new Map<string, string>();
  for (const [flag, path] of Object.entries({ junit, record, write })) {
    if (path === undefined) continue;
    const other = taken.get(resolve(path));
    if (other !== undefined)
      throw new UsageError(`--${other} and --${flag} name the same file: ${path}`);
    taken.set(resolve(path), flag);
    try {
      const isThere = statSync(path, { throwIfNoEntry: false });
      if (isThere?.isDirectory()) throw new Error('it is a directory');
      accessSync(isThere ? path : dirname(path), constants.W_OK);
      if (isThere && flag === 'record' && !isRecording(path))
        throw new Error('the file is no recording, and is left as it is');
    } catch (error) {
      throw new UsageError(`--${flag} ${path} cannot be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

function isRecording(path: string): boolean {
  try {
    const text = readFileSync(path, 'utf8');
    readRecording(text);
    return true;
  } catch {
    return false;
  }
}

function print(report: VerifyReport, options: VerifyCliOptions): void {
  const { recording: _recording, ...rest } = report;
  const text = options.json
    ? `${stringifyJson(rest)}\n`
    : reportText(report, (style, part) => paint(process.stdout, style, part));
  process.stdout.write(text);
}

function writeFiles(
  report: VerifyReport,
  { junit, record, write, force }: VerifyCliOptions,
  earlier: AssumptionsFile | undefined,
): void {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (junit !== undefined) writeFileSync(junit, reportJunit(report));
  if (record !== undefined) writeFileSync(record, `${stringifyJson(report.recording)}\n`);
  if (write === undefined) return;
  const failing = Object.values(report.statements).some(({ verdict }) => verdict === 'fails');
  if (failing && !force)
    return void say(`${write} was not written: a statement fails (--force writes it).`);
  if (report.drift.length > 0 && !force)
    return void say(`${write} was not written: a value differs from --check (--force writes it).`);
  if (Object.keys(report.measured.sure).length === 0)
    return void say(`${write} was not written: nothing was measured.`);
  const file = earlier ? withEarlier(report, earlier) : report.measured;
  if (earlier && sameValues(earlier, file))
    return void say(`${write} is as it was: no value changed.`);
  writeFileSync(write, writeAssumptionsFile(file));
  const count = Object.keys(file.sure).length;
  const { measured } = report;
  const kept = Object.keys(file.sure).filter(
    (name) => !(name in measured.sure) || file.sure[name] !== measured.sure[name],
  ).length;
  const ofThem =
    kept === 0
      ? ''
      : `, ${kept} of them kept from before, as this run did not ask for them, or saw less`;
  say(`${write} was written: ${count} assumptions${ofThem}.`);
}

/** The file that `--write` replaces, if there is one. @throws UsageError for a file that holds something else. */
function readEarlier(path: string): AssumptionsFile | undefined {
  try {
    return readAssumptionsFile(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(
      `--write ${path}: the file is no file of assumptions, and is left as it is. ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Values that differ by the measurement alone (the clock, to a second) do not count. */
function sameValues(one: AssumptionsFile, other: AssumptionsFile): boolean {
  const [left, right] = [one, other].map(({ assumptions }) => {
    const { clockSkew = 0, ...rest } = measurableOf(assumptions);
    return { skew: clockSkew, rest };
  }) as [{ skew: number; rest: object }, { skew: number; rest: object }];
  const names = (values: object) => Object.keys(values).toSorted().join();
  return (
    Math.abs(left.skew - right.skew) <= 1_000 &&
    names(left.rest) === names(right.rest) &&
    isSame(left.rest, right.rest)
  );
}

/** How far the run is: one line that is written over on a terminal, a line for each wait elsewhere. */
class ProgressLine {
  readonly #live = process.stderr.isTTY;
  #ticking: NodeJS.Timeout | undefined;

  show(progress: Progress): void {
    clearInterval(this.#ticking);
    const { name, number, of, requests, maxRequests, remaining, waits } = progress;
    const left = remaining === undefined ? '' : ` · ${remaining} left this minute`;
    const at = `${number}/${of} ${name} · ${requests} of ${maxRequests} requests${left}`;
    if (!waits) return this.#write(at);
    const until = Date.now() + waits.ms;
    const line = () =>
      `${at} · waits ${Math.max(0, Math.ceil((until - Date.now()) / 1_000))} s for ${waits.why}`;
    if (!this.#live) return void process.stderr.write(`${line()}\n`);
    this.#write(line());
    this.#ticking = setInterval(() => this.#write(line()), 1_000);
    this.#ticking.unref();
  }

  clear(): void {
    clearInterval(this.#ticking);
    if (this.#live) process.stderr.write('\r\x1b[K');
  }

  #write(line: string): void {
    if (this.#live)
      process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  }
}
