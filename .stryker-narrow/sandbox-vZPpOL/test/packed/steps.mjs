/**
 * Runs steps, `lanes` of them at a time, each printing one line. A step is `{ name, where, what, work }`, and with
 * `fails: { because, reason }` one that is known not to work: it passes when it fails with that reason. Names given on
 * the command line pick some. Returns whether all of them ran and passed; the exit code says so too.
 */
// @ts-nocheck

export async function runSteps(all, { lanes = 1 } = {}) {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const steps = all.filter(
    ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  const waiting = [...steps];
  let failed = 0;
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) if (!(await one(step))) failed++;
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(
    `${steps.length - failed} passed, ${failed} failed in ${(performance.now() / 1000).toFixed(1)} s`,
  );
  if (failed > 0 || steps.length === 0) process.exitCode = 1;
  return failed === 0 && steps.length === all.length;
}

async function one({ name, work, fails }) {
  const started = performance.now();
  const say = (verdict, note = '') =>
    console.log(
      `${verdict} ${name.padEnd(30)} ${String(Math.round(performance.now() - started)).padStart(6)} ms  ${note}`.trimEnd(),
    );
  try {
    const note = await (fails ? mustFail(work, fails) : work());
    say('PASS', typeof note === 'string' ? note : '');
    return true;
  } catch (error) {
    say('FAIL');
    console.log(String(error?.stack ?? error).slice(0, 2000));
    return false;
  }
}

async function mustFail(work, { because, reason }) {
  const error = await work().then(
    () => new Error('it works by now: say so in the table'),
    (failure) => failure,
  );
  if (!because.test(error.message)) throw error;
  return `does not work, as known: ${reason}`;
}
