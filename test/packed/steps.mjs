/** Steps that each print one line; names given on the command line pick some of them. The exit code says if any failed. */
export function createSteps() {
  const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const results = [];
  process.on('exit', () => {
    const failed = results.filter(({ passed }) => !passed).length;
    const ran = results.length === 0 ? 'nothing ran' : `${results.length - failed} passed, ${failed} failed`;
    console.log(`${ran} in ${(performance.now() / 1000).toFixed(1)} s`);
    if (failed > 0 || results.length === 0) process.exitCode = 1;
  });

  return {
    results,
    async step(name, work) {
      if (only.length > 0 && !only.some((wanted) => name.includes(wanted))) return;
      const started = performance.now();
      const took = () => `${Math.round(performance.now() - started)} ms`.padStart(8);
      try {
        const note = await work();
        results.push({ name, passed: true, note });
        console.log(`PASS ${name.padEnd(28)} ${took()}  ${note ?? ''}`);
      } catch (error) {
        results.push({ name, passed: false });
        console.log(`FAIL ${name.padEnd(28)} ${took()}\n${String(error?.stack ?? error).slice(0, 2000)}`);
      }
    },
  };
}
