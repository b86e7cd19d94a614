/** `petstore-mock verify`: the verification as a command. */
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringifyJson } from '../../../src/contract/json.js';
import { writeAssumptionsFile } from '../../assumptions/file.js';
import {
  plannedRequests,
  reportText,
  verifyService,
  type Permit,
  type VerifyOptions,
  type VerifyReport,
} from '../../verify/index.js';
import { nameList } from '../../verify/selection.js';
import { readAssumptionsFlag } from '../cli/files.js';
import { UsageError } from '../cli/flags.js';
import { paint } from '../cli/text.js';
import type { VerifyCliOptions } from './options.js';

/** Runs the command, and gives its exit code. @throws UsageError for a mistake on the command line. */
export async function runVerify(options: VerifyCliOptions): Promise<number> {
  // Files are written also when stdout is closed (`petstore-mock verify … | head -1`).
  process.stdout.on('error', () => undefined);
  try {
    return await run(options);
  } catch (error) {
    // Options that cannot be are a mistake on the command line, in the words of the command line.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const message = error.message
      .replace(/^baseUrl/, 'ADDRESS')
      .replace(/^basePath/, '--base-path')
      .replace(/^only/, '--only');
    throw new UsageError(message, { cause: error });
  }
}

async function run(options: VerifyCliOptions): Promise<number> {
  const { address, list, check, write, quiet } = options;
  const print = (text: string) => process.stdout.write(text);
  if (list) {
    print(nameList());
    return 0;
  }
  const recorded = check === undefined ? undefined : readAssumptionsFlag(check, '--check');
  if (write !== undefined) checkOutput(write);
  const given = verifyOptions(options);
  const planned = await plannedRequests(given);
  if (options['dry-run']) {
    const lines = planned.map((request) => `  ${request}\n`).join('');
    print(`Would send to ${address}:\n${lines}`);
    print('Nothing was sent. A path with a name in braces depends on a response.\n');
    return 0;
  }
  const keys = readKeys(options);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const report = await verifyService({
    ...given,
    ...keys,
    ...(recorded && { recorded }),
    ...(!quiet && { onProgress: showProgress }),
    signal: stop.signal,
  });
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  if (process.stderr.isTTY && !quiet) process.stderr.write('\r\x1b[K');
  const text = () => reportText(report, (style, part) => paint(process.stdout, style, part));
  print(options.json ? `${stringifyJson(report)}\n` : text());
  if (write !== undefined) writeMeasured(write, report);
  return report.exitCode;
}

const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];

function verifyOptions(options: VerifyCliOptions): VerifyOptions {
  const { address, timeout, only, 'base-path': basePath, 'max-requests': maxRequests } = options;
  return {
    baseUrl: address,
    allow: permits.filter((permit) => options[`allow-${permit}`]),
    timeout,
    maxRequests,
    basePath,
    ...(only.length > 0 && { only: only.flatMap((one) => one.split(',')) }),
  };
}

/** @throws UsageError where there is no key. */
function readKeys(options: VerifyCliOptions): Pick<VerifyOptions, 'apiKey' | 'secondKey'> {
  const { PETSTORE_API_KEY = '', PETSTORE_SECOND_API_KEY = '' } = process.env;
  const isStdin = options['key-stdin'];
  const [apiKey = '', secondKey = ''] = (
    isStdin ? readFileSync(0, 'utf8').split(/\r?\n/) : [PETSTORE_API_KEY, PETSTORE_SECOND_API_KEY]
  ).map((key) => key.trim());
  if (apiKey === '')
    throw new UsageError(
      isStdin
        ? 'stdin holds no key in its first line.'
        : 'there is no API key: set PETSTORE_API_KEY, or use --key-stdin.',
    );
  if (!options['second-key']) return { apiKey };
  if (secondKey !== '') return { apiKey, secondKey };
  const why = isStdin ? 'stdin holds no second line.' : 'set PETSTORE_SECOND_API_KEY.';
  throw new UsageError(`--second-key: ${why}`);
}

/** Before a run of a minute, not after it. @throws UsageError for a file that cannot be written, or holds something else. */
function checkOutput(path: string): void {
  if (existsSync(path)) readAssumptionsFlag(path, '--write');
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`--write ${path} cannot be written: ${message}`, { cause: error });
  }
}

function writeMeasured(path: string, { drift = [], measured }: VerifyReport): void {
  const count = Object.keys(measured.assumptions).length;
  const why = drift.length > 0 ? 'a value differs from --check' : 'nothing was measured';
  const isWritten = drift.length === 0 && count > 0;
  if (isWritten) writeFileSync(path, writeAssumptionsFile(measured));
  process.stderr.write(
    `${path} was ${isWritten ? `written: ${count} assumptions` : `not written: ${why}`}.\n`,
  );
}

/** How far the run is: one line that is written over on a terminal, a line for each wait elsewhere. */
function showProgress(line: string, wait: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  else if (wait > 0) process.stderr.write(`${line}\n`);
}
