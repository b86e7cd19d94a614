/** `petstore-mock verify`: the verification as a command. */
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { environmentVariable } from '../../../src/contract/environments.js';
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
  try {
    return await run(options);
  } catch (error) {
    // An invalid option is a mistake on the command line, so the message uses the names of the flags.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const message = error.message
      .replace(/^baseUrl/, 'ADDRESS')
      .replace(/^basePath/, '--base-path')
      .replace(/^only/, '--only');
    throw new UsageError(message, { cause: error });
  }
}

async function run(options: VerifyCliOptions): Promise<number> {
  const { address, list, write, quiet } = options;
  const print = (text: string) => process.stdout.write(text);
  if (list) {
    print(nameList());
    return 0;
  }
  const stop = new AbortController();
  const given = { ...verifyOptions(options), signal: stop.signal };
  if (write !== undefined) checkOutput(write);
  const planned = await plannedRequests(given);
  if (options['dry-run']) {
    const lines = planned.map((request) => `  ${request}\n`).join('');
    print(`Would send to ${address}:\n${lines}`);
    print('Nothing was sent. A path with a name in braces depends on a response.\n');
    return 0;
  }
  const keys = readKeys(options);
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const report = await verifyService({ ...given, ...keys });
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  if (process.stderr.isTTY && !quiet) process.stderr.write('\r\x1b[K');
  const text = () => reportText(report, (style, part) => paint(process.stdout, style, part));
  print(options.json ? `${stringifyJson(report)}\n` : text());
  if (write !== undefined) writeMeasured(write, report);
  return report.exitCode;
}

const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];

/** The options of the run, without the keys. @throws UsageError where the file to compare with cannot be read. */
function verifyOptions(options: VerifyCliOptions): VerifyOptions {
  const { address, check, only, quiet, timeout } = options;
  return {
    baseUrl: address,
    basePath: options['base-path'],
    allow: permits.filter((permit) => options[`allow-${permit}`]),
    maxRequests: options['max-requests'],
    timeout,
    only: only.length > 0 ? only.flatMap((one) => one.split(',')) : undefined,
    recorded: check === undefined ? undefined : readAssumptionsFlag(check, '--check'),
    onProgress: quiet ? undefined : showProgress,
  };
}

/** The keys, of the environment or of the first lines of stdin. @throws UsageError where one is missing. */
function readKeys(options: VerifyCliOptions): Pick<VerifyOptions, 'apiKey' | 'secondKey'> {
  const lines = options['key-stdin'] ? readFileSync(0, 'utf8').split(/\r?\n/) : undefined;
  const read = (line: number, variable: string) => {
    const key = lines ? lines[line]?.trim() : environmentVariable(variable);
    if (key) return key;
    throw new UsageError(
      lines
        ? `stdin holds no key in line ${line + 1}.`
        : `there is no API key: set ${variable}, or use --key-stdin.`,
    );
  };
  const apiKey = read(0, 'PETSTORE_API_KEY');
  const secondKey = options['second-key'] ? read(1, 'PETSTORE_SECOND_API_KEY') : undefined;
  return { apiKey, secondKey };
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
