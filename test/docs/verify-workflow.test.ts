// The GitHub workflow that docs/assumptions.md offers for copying.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readVerifyOptions } from '../../mocks/standalone/verify/options.js';
import { verifyHelp } from '../../mocks/standalone/verify/help.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly on: { readonly schedule: readonly { readonly cron: string }[] };
  readonly permissions: object;
  readonly jobs: { readonly verify: { readonly steps: readonly Step[] } };
}

const page = readFileSync(new URL('../../docs/assumptions.md', import.meta.url), 'utf8');
const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
const workflow = parse(text) as Workflow;
const { steps } = workflow.jobs.verify;
const verify = steps.find(({ run }) => run?.includes('petstore-mock verify'))!;
/** The command without `npx`, with a value in place of each expression. */
const words = verify.run!.replace(/\$\{\{.*?\}\}/g, 'https://staging.petstore.example').split(' ');

test('the workflow is YAML that runs once a day, and may only read', () => {
  expect(workflow.on.schedule.map(({ cron }) => cron)).toEqual([
    expect.stringMatching(/^\d+ \d+ \* \* \*$/),
  ]);
  expect(workflow.permissions).toEqual({ contents: 'read' });
  for (const step of steps) expect((step.run ?? step.uses)!.length).toBeGreaterThan(0);
});

test('its command is one that the program takes, and its options are in the help', () => {
  expect(words.slice(0, 3)).toEqual(['npx', 'petstore-mock', 'verify']);
  const args = words.slice(3);
  expect(readVerifyOptions(args)).toMatchObject({ address: 'https://staging.petstore.example' });
  const flags = args.filter((word) => word.startsWith('--'));
  expect(flags.length).toBeGreaterThan(0);
  for (const flag of flags) expect(verifyHelp({})).toMatch(new RegExp(`^ +${flag} `, 'm'));
  expect(verify.env).toHaveProperty('PETSTORE_API_KEY');
});
