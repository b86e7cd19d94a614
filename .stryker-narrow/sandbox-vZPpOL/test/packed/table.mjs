// @ts-nocheck
import { readFileSync, writeFileSync } from 'node:fs';

const page = new URL('../../docs/browsers-and-edge.md', import.meta.url);

/** What the steps have shown, as a table. Times and the machine's own versions stay out, so that it only changes when the facts do. */
function tableOf(steps) {
  const rows = steps.map(
    ({ where, what, fails }) => `| ${where} | ${what} | ${fails ? `no: ${fails.reason}` : 'yes'} |`,
  );
  return ['| where | what ran | works |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Puts the table between its markers with `--write`; otherwise fails when the page says something else. Call it after a run in which all passed. */
export function keepTable(name, steps) {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/browsers-and-edge.md lacks ${begin} … ${end}`);
  const updated = `${text.slice(0, from + begin.length)}\n\n${tableOf(steps)}\n\n${text.slice(to)}`;
  if (process.argv.includes('--write')) writeFileSync(page, updated);
  else if (updated !== text) {
    console.log(
      `FAIL docs/browsers-and-edge.md does not say what this run shows. Run: npm run test:${name} -- --write`,
    );
    process.exitCode = 1;
  }
}
