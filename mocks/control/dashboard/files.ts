import type * as z from 'zod/mini';
import { NewPetSchema, operations, PetStatus } from '../../../src/contract/index.js';
import { Int64Schema } from '../../../src/contract/int64.js';
import { faultSchema } from '../../faults/parse.js';

/** What scripts/dashboard.mjs has bundled of app.js and style.css: the build and the tests put it here. */
declare const dashboardFiles: { readonly script: string; readonly style: string };

/** A field of a pet as a field of the form, by what its schema takes. */
function petField([name, given]: [string, unknown]): object {
  const schema = given as z.ZodMiniType;
  const takes = (value: unknown) => schema.safeParse(value).success;
  const field = { label: name, name, required: !takes(undefined) };
  if (takes(PetStatus.available) && !takes('?'))
    return { ...field, options: Object.values(PetStatus) };
  const isInteger = given === Int64Schema || takes(1);
  return isInteger
    ? { ...field, inputmode: 'numeric', pattern: '-?\\d{1,15}', defaultValue: '1' }
    : field;
}

/** Whether a field of a fault is a fault by itself when it is switched on. */
const isFault = (name: string) => faultSchema.safeParse({ [name]: true }).success;

/** The page at `/_mock/`. Its script makes everything in it, with what it says of the contract here. */
const html = () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>petstore-mock</title>
<link rel="stylesheet" href="style.css">
<link rel="icon" href="data:,">
<script type="application/json" id="facts">${JSON.stringify({
  operations: Object.keys(operations),
  faults: Object.keys(faultSchema.def.shape).filter(isFault),
  statuses: Object.values(PetStatus),
  petFields: Object.entries(NewPetSchema.shape).map(petField),
})}</script>
<script type="module" src="app.js"></script>
</head>
<body></body>
</html>
`;

const files: Readonly<Record<string, readonly [type: string, text: () => string]>> = {
  '/_mock/': ['text/html', html],
  '/_mock/style.css': ['text/css', () => dashboardFiles.style],
  '/_mock/app.js': ['text/javascript', () => dashboardFiles.script],
};

/** The page loads nothing from other origins, and no other page may frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** The file of the dashboard at a path; undefined where there is none. */
export function dashboardFile(path: string): Response | undefined {
  const [type, text] = files[path] ?? [];
  if (text === undefined) return undefined;
  return new Response(text(), {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
  });
}
