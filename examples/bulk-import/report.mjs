import { time } from './progress.mjs';
import { oldFailedFiles, writeFailedRows } from './rows.mjs';

/** The largest number of rows that are printed. All of them are in the file. */
const shownRows = 10;

/** Prints what happened, writes the rows that need a person to a file, and sets the exit code: 1 if anything is left to do. */
export function printReport(path, report, lines) {
  const { total, created, earlier, found, rejected, unknown, unsent, stopped } = report;
  for (const { index, pet } of found)
    console.log(`line ${lines[index]}: found, with the id ${pet.id}`);
  const added = created.length + earlier.length + found.length;
  console.log(`${added} of ${total} pets added, ${created.length} of them now.`);
  const failed = failedRows(report, lines);
  for (const { line, outcome, reason } of failed.slice(0, shownRows))
    console.error(`line ${line}: ${outcome}: ${reason}`);
  if (failed.length > 0)
    console.log(
      `Rows that were rejected: ${rejected.length}, with an unknown outcome: ${unknown.length}. See ${writeFailedRows(path, failed)}`,
    );
  if (rejected.length > 0)
    console.log(
      'Correct the rejected rows there, delete the others, and start the program with that file and --new.',
    );
  if (unknown.length > 0)
    console.log(
      'Pets with an unknown outcome may exist. Look for them with --find; then decide with --created LINE or --unsent LINE.',
    );
  if (stopped !== undefined) console.log(describeStop(stopped, unsent));
  process.exitCode = stopped === undefined && failed.length === 0 ? 0 : 1;
}

/** Names the files of failed rows that earlier runs wrote. They are not deleted: someone may have edited them. */
export function printOldFiles(path, report, lines) {
  const old = oldFailedFiles(path, failedRows(report, lines));
  if (old.length > 0)
    console.log(
      `Of earlier runs, and out of date: ${old.join(', ')}. Delete what you need no more.`,
    );
}

const failedRows = ({ rejected, unknown }, lines) => [
  ...rejected.map((row) => ({ ...row, outcome: 'rejected', line: lines[row.index] })),
  ...unknown.map((row) => ({ ...row, outcome: 'unknown', line: lines[row.index] })),
];

function describeStop({ reason, retryAt, message }, unsent) {
  const [what, next] = {
    quota: [
      message.split(': run again')[0],
      `Start the program again after ${nextMinute(retryAt)}, or with --across-days.`,
    ],
    aborted: ['interrupted', 'Start the program again to continue.'],
    failure: [message, 'Once that is solved, start the program again.'],
  }[reason];
  return `Stopped: ${withFlags(what)}\nRows that are not sent: ${unsent}. ${next}`;
}

/** `retryAt` exists only if the reason is the quota. */
const nextMinute = (date) => date && time(new Date(date.getTime() + 59_999));

/** The message names options of `createPets`. This program has flags. */
const withFlags = (message) =>
  message
    .replace('ignoreHold: true', '--now')
    .replace('a function as the option unknown', '--created LINE or --unsent LINE');
