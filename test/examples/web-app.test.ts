// examples/web-app in a real Chromium: on its mock, with the time of the page in virtual time. And its build for production, without the mock.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { build, preview, type PreviewServer } from 'vite';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { chromiumOptions } from '../support/chromium.js';
import { example, runTool } from '../support/example.js';

const root = example('web-app');
const outDir = temporaryFolder();
let browser: Browser;
let server: PreviewServer;
let page: Page;
let problems: string[] = [];

beforeAll(async () => {
  const msw = resolve('node_modules/msw/cli/index.js');
  const init = [msw, 'init', join(root, 'public'), '--save=false'];
  expect(spawnSync(process.execPath, init).status).toBe(0);
  const config = { root, logLevel: 'error', build: { outDir, emptyOutDir: true } } as const;
  // NODE_ENV is that of the tests: the build has the mock.
  await build({ ...config, mode: 'development' });
  server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } });
  atEnd(() => server.close());
  browser = await chromium.launch(chromiumOptions);
  atEnd(() => browser.close());
}, 90_000);

afterEach(async () => {
  expect(problems).toEqual([]);
  await (page as Page | undefined)?.close();
});

async function open(): Promise<void> {
  page = await browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  // Five seconds into a minute: the windows of the mock begin with the minute.
  await page.clock.install({ time: '2026-01-05T12:00:05Z' });
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page.locator('[data-kind=pets]').waitFor();
}

const cards = () => page.locator('.card');
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

test('the page shows the pets and the quota of the mock, and filters the pets, with the keyboard only', async () => {
  await open();
  expect(await cards().count()).toBe(24);
  expect(await page.locator('#quota').textContent()).toContain('59 of 60 requests left');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  const count = (which: string) => page.locator(`.card .status${which}`).count();
  // While the list is loaded there are no cards at all.
  const isFiltered = async () =>
    (await count('.available')) > 0 && (await count(':not(.available)')) === 0;
  await expect.poll(isFiltered).toBe(true);
});

test('a pet can be added with the keyboard only, and its name is shown as text, not as markup', async () => {
  await open();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.type('<b>Mia</b>');
  await page.keyboard.press('Tab');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.getByText('<b>Mia</b> is in the store, as number 25.').waitFor();
  await expect.poll(() => cards().count()).toBe(25);
  expect(await page.locator('.card strong', { hasText: '<b>Mia</b>' }).count()).toBe(1);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the buttons at the bottom change the page from any state to any other at once: slow, limited, empty', async () => {
  await open();
  await press('slow');
  expect(await page.locator('[data-kind=loading]').getAttribute('aria-busy')).toBe('true');
  expect(await page.locator('.skeleton').count()).toBe(8);
  await page.clock.fastForward(3_000);
  await page.locator('[data-kind=pets]').waitFor();
  await press('limited for a minute');
  await page.locator('#hold:visible').waitFor();
  await press('limited for the day');
  await page.getByText(/The request limit is reached\. Try again on \w+/).waitFor();
  expect(await page.locator('#hold').isHidden()).toBe(true);
  await press('empty');
  await page.getByText('There are no pets in the store yet.').waitFor();
  await page.locator('#filter').getByText('Sold').click();
  await page.getByText('No pet is sold at the moment.').waitFor();
  await press('working');
  await page.locator('[data-kind=pets]').waitFor();
});

test('a broken connection shows an error with a retry button, and warns that a pet may have been added', async () => {
  await open();
  await press('broken');
  const alert = page.locator('#board [role=alert]');
  // Two more tries stand between, with a wait before each.
  await expect.poll(async () => (await page.clock.runFor(1_000), alert.count())).toBe(1);
  expect(await alert.textContent()).toBe('The store is not available. Check your connection.');
  await press('Add a pet');
  await page.getByLabel('Name').fill('Mia');
  await page.getByLabel('Category number').fill('7');
  await press('Add');
  await page.getByText('The pet may have been added: check the list').waitFor();
  await page.keyboard.press('Escape');
  await press('working');
  await page.locator('[data-kind=pets]').waitFor();
});

test('an exhausted minute shows the remaining seconds, and then the pets', async () => {
  await open();
  await press('limited for a minute');
  await page.getByText(/Too many requests\. The page continues in \d+ s\./).waitFor();
  const fromServer = async () =>
    Number(/in (\d+) s/.exec((await page.locator('#hold').textContent()) ?? '')?.[1]);
  const first = await fromServer();
  await page.clock.runFor(10_000);
  expect(await fromServer()).toBeLessThanOrEqual(first - 10);
  await expect
    .poll(async () => (await page.clock.runFor(10_000), page.locator('[data-kind=pets]').count()))
    .toBe(1);
  expect(await page.locator('#hold').isHidden()).toBe(true);
});

test('the build for production holds nothing of the mock', async () => {
  expect(readdirSync(join(root, 'public'))).toEqual(['mockServiceWorker.js']);
  const folder = temporaryFolder();
  const vite = resolve('node_modules/vite/bin/vite.js');
  // As a deployment makes it: with the default mode of Vite.
  const { code, err } = await runTool(vite, ['build', '--outDir', folder, '--emptyOutDir'], root);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.includes('mockServiceWorker'))).toEqual([]);
  const scripts = files.filter((path) => path.endsWith('.js'));
  const text = scripts.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
  // The client is in it; a text of the mock, of msw, or of the buttons that change the mock is not.
  expect(text).toContain('X-RateLimit-Limit');
  expect(/mock-free|mockServiceWorker|msw|_mock\b|exhaust\(/.exec(text)?.[0]).toBeUndefined();
});
