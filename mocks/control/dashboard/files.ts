import { appScript } from './app.js';
import { baseScript } from './base.js';
import { css } from './css.js';
import { html } from './html.js';
import { keysScript } from './keys.js';
import { petsScript } from './pets.js';
import { requestsScript } from './requests.js';

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/_mock/': ['text/html', html],
  '/_mock/style.css': ['text/css', css],
  '/_mock/app.js': ['text/javascript', appScript],
  '/_mock/base.js': ['text/javascript', baseScript],
  '/_mock/keys.js': ['text/javascript', keysScript],
  '/_mock/pets.js': ['text/javascript', petsScript],
  '/_mock/requests.js': ['text/javascript', requestsScript],
};

/** The page loads nothing from other origins, and no other page may frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** The file of the dashboard at a path; undefined where there is none. */
export function dashboardFile(path: string): Response | undefined {
  const [type, text] = files[path] ?? [];
  if (text === undefined) return undefined;
  return new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
  });
}
