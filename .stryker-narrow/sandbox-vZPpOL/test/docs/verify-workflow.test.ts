// @ts-nocheck
// The GitHub workflow that docs/assumptions.md offers for copying.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readVerifyOptions } from '../../mocks/standalone/verify/options.js';
import { verifyHelp } from '../../mocks/standalone/verify/help.js';
import { allBlocks } from '../support/documents.js';

interface Workflow {
  readonly on: { readonly schedule: object };
  readonly permissions: object;
  readonly jobs: { verify: { steps: { uses?: string; run?: string; env?: object }[] } };
}

test('the workflow runs once a day, may only read, and its command is one that the program takes and explains', () => {
  const block = allBlocks().find(
    ({ at, language }) => at.startsWith('docs/assumptions.md') && language === 'yaml',
  );
  const { on, permissions, jobs } = parse(block!.code) as Workflow;
  expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) as string }]);
  expect(permissions).toEqual({ contents: 'read' });
  const { steps } = jobs.verify;
  for (const { run, uses } of steps) expect((run ?? uses)!.length).toBeGreaterThan(0);

  const verify = steps.find(({ run }) => run?.includes('petstore-mock verify'))!;
  expect(verify.env).toHaveProperty('PETSTORE_API_KEY');
  const address = 'https://staging.petstore.example';
  const [npx, program, command, ...args] = verify
    .run!.replace(/\$\{\{.*?\}\}/g, address)
    .split(' ');
  expect([npx, program, command]).toEqual(['npx', 'petstore-mock', 'verify']);
  expect(readVerifyOptions(args)).toMatchObject({ address });
  const flags = args.filter((word) => word.startsWith('--'));
  expect(flags.length).toBeGreaterThan(0);
  for (const flag of flags) expect(verifyHelp({})).toMatch(new RegExp(`^ +${flag} `, 'm'));
});
