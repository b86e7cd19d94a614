/** The page, and what scripts/dashboard.mjs has bundled of app.js and style.css: the build and the tests put it here. */
// @ts-nocheck

declare const dashboardFiles: Readonly<Record<'page' | 'script' | 'style', string>>;

const files: Readonly<Record<string, readonly [type: string, text: () => string]>> = {
  '/_mock/': ['text/html', () => dashboardFiles.page],
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
