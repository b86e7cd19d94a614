// The page of the stand-alone service in a real Chromium, used as a person uses it.
import { chromium, type Browser, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import type { MockHttpServer } from '../../../mocks/server.js';
import type { MockService } from '../../../mocks/service/types.js';
import { chromiumOptions } from '../../support/chromium.js';
import { send } from '../../support/raw.js';
import { served } from '../../support/served.js';

let browser: Browser;
let page: Page | undefined;
let server: MockHttpServer;

beforeAll(async () => void (browser = await chromium.launch(chromiumOptions)));
afterEach(() => page?.close());
afterAll(() => browser.close());

async function open(
  scheme: 'light' | 'dark' = 'light',
  { seed = 12, width = 1100 }: { seed?: number; width?: number } = {},
): Promise<{ page: Page; service: MockService; problems: string[] }> {
  const create = () => createMockService({ clock: 'virtual', seed });
  const service = create();
  server = await served(service, { createWorld: create });
  page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 1000 } });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`))
      problems.push(`left the machine: ${request.url()}`);
  });
  await page.goto(`${server.url}/_mock/`);
  await page.getByRole('meter').first().waitFor();
  return { page, service, problems };
}

test('the page shows the pets, the requests as they come, and what each key has left', async () => {
  const { page, service, problems } = await open();
  service.pets.add({ name: 'Exact', categoryId: 9223372036854775807n });
  await send(service, '/pets');
  await send(service, '/pets?limit=0');
  await page.getByRole('cell', { name: '400' }).waitFor();
  expect(await page.getByRole('meter', { name: 'minute: 58 of 60 left' }).count()).toBe(1);
  expect(await page.getByRole('cell', { name: '9223372036854775807' }).count()).toBe(1);
  expect(await page.locator('#pets tr').count()).toBe(13);
  expect(problems).toEqual([]);
});

test('the clock is moved, a fault added and a pet made from the keyboard alone', async () => {
  const { page, service, problems } = await open();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('advance');
  await page.keyboard.press('Enter');
  await expect.poll(() => service.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 1, 1));
  await page.getByRole('status').getByText('The clock was moved.').waitFor();

  await page.getByLabel('Fault').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByLabel('times').focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => service.faults.list().map(({ fault }) => fault))
    .toEqual([{ status: 503, times: 1 }]);

  await page.getByLabel('Name').focus();
  await page.keyboard.type('Keyboard');
  await page.keyboard.press('Enter');
  await expect.poll(() => service.pets.size).toBe(13);
  await page.getByRole('button', { name: 'Reset everything' }).press('Enter');
  await expect.poll(() => service.pets.size).toBe(12);
  expect(problems).toEqual([]);
});

test('a pet that was just added is seen among 10,000 others, from the form and from a program', async () => {
  const { page, service } = await open('light', { seed: 10_000 });
  service.pets.add({ name: 'From a program', categoryId: 1 });
  await page.getByRole('cell', { name: 'From a program' }).waitFor();
  await page.getByLabel('name', { exact: true }).fill('From the form');
  await page.getByRole('button', { name: 'Add pet' }).click();
  await page.getByRole('cell', { name: '10002 added' }).waitFor();
  expect(await page.locator('#pets-count').textContent()).toContain('1 to 50 of 10,002');
});

test('pets are paged, and found by id, name and status', async () => {
  const { page } = await open('light', { seed: 120 });
  const first = page.locator('#pets tr:first-child td:first-child');
  await expect.poll(() => first.textContent()).toBe('120');
  await page.locator('#pets-older').click();
  await expect.poll(() => first.textContent()).toBe('70');
  await page.locator('#pets-newer').click();
  await expect.poll(() => first.textContent()).toBe('120');
  await page.getByLabel('Find').fill('7');
  await expect.poll(() => page.locator('#pets tr').count()).toBe(1);
  await page.getByLabel('Find').fill('');
  await page.getByLabel('with status').selectOption('sold');
  await expect.poll(() => page.locator('#pets-count').textContent()).toContain('of 24');
});

test('requests are filtered and paged, and one that a fault has hit is marked', async () => {
  const { page, service } = await open();
  service.faults.add({ 'network-error': true, times: 1 });
  await send(service, '/pets').catch(() => undefined);
  for (let count = 0; count < 59; count++) await send(service, '/pets');
  await send(service, '/pets?limit=0', { key: 'mock-pro' });
  const rows = page.locator('#requests tr');
  await expect.poll(() => rows.count()).toBe(50);
  await page.locator('#requests-older').click();
  await expect.poll(() => rows.count()).toBe(11);
  expect(await page.locator('#requests .mark').allTextContents()).toEqual(['network-error']);
  await page.locator('#requests-newer').click();
  await page.getByLabel('Answered').fill('400');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Answered').fill('');
  await page.getByLabel('Sent with').selectOption('mock-pro');
  await expect.poll(() => rows.count()).toBe(1);
});

test('a key is exhausted, banned and unbanned by its buttons, which keep the focus, and a single fault is removed by its own', async () => {
  const { page, service } = await open();
  service.faults.add({ status: 503 });
  service.faults.add({ delay: 5 });
  await page.getByRole('button', { name: 'Exhaust the minute of mock-free' }).press('Enter');
  await page.getByRole('meter', { name: 'minute: 0 of 60 left' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Exhaust minute');
  await page.getByRole('button', { name: 'Exhaust the day of mock-pro' }).click();
  await expect.poll(() => service.keys.get('mock-pro').usage.day.remaining).toBe(0);
  await page.getByRole('button', { name: 'Ban mock-free' }).click();
  await page.getByText('banned until 00:10:00').waitFor();
  await page.getByRole('button', { name: 'Unban mock-free' }).click();
  await expect.poll(() => service.keys.get('mock-free').bannedUntil).toBeUndefined();
  const remove = page.getByRole('button', { name: /^Remove fault/ });
  await remove.first().click();
  await expect.poll(() => service.faults.list().map(({ fault }) => fault)).toEqual([{ delay: 5 }]);
});

test('the page says when the service does not answer, and when it answers again', async () => {
  const { page, service } = await open();
  const port = Number(new URL(server.url).port);
  await server.close();
  await page.getByText('The service does not answer.').waitFor();
  server = await served(service, { port });
  await page.getByText('The service answers again.').waitFor();
});

test('another world is chosen once there is one, and its pets are shown', async () => {
  const { page } = await open();
  const headers = { 'X-Mock-World': 'worker-3', 'Content-Type': 'application/json' };
  await fetch(`${server.url}/_mock/pets`, { method: 'POST', headers, body: '{"seed":3}' });
  await page.getByLabel('World').selectOption('worker-3');
  await expect.poll(() => page.locator('#pets tr').count()).toBe(15);
});

test.each([390, 400, 1_300, 1_600])(
  'at %i px nothing needs a sideways scroll, there are at most two columns, and the status of a request is its second column',
  async (width) => {
    const { page, service } = await open('light', { width });
    service.keys.add('a-key-with-a-long-name-that-no-line-can-hold-0123456789', { plan: 'pro' });
    const body = { detail: 'x'.repeat(60) };
    service.faults.add({ operation: 'listPets', status: 503, body, times: 1 });
    for (let sent = 0; sent < 2; sent++) await send(service, '/pets?limit=100&status=available');
    await page.getByRole('cell', { name: '200' }).waitFor();
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed).toBeLessThanOrEqual(width);
    const lefts = await page
      .locator('section')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    const columns = width < 900 ? 1 : 2;
    expect(new Set(lefts).size).toBe(columns);
    const statuses = page.locator('#requests td:nth-child(2)');
    expect((await statuses.allTextContents()).toSorted()).toEqual(['200', '503status']);
    const box = await statuses.first().boundingBox();
    expect(box!.x + box!.width).toBeLessThan(width / columns);
  },
);

test('a value that the service refuses is said on the page', async () => {
  const { page, service } = await open();
  await page.getByLabel('Move the clock by').fill('99999999999999999d');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.locator('#status.bad').waitFor();
  expect(service.clock.now()).toBe(Date.UTC(2026, 0, 1));
});

test.each(['light', 'dark'] as const)('in %s, no text has a contrast below 4.5', async (scheme) => {
  const { page, service } = await open(scheme);
  await send(service, '/pets');
  await send(service, '/pets', { key: 'nobody' });
  service.faults.add({ status: 503, times: 1 });
  await send(service, '/pets');
  service.keys.get('mock-free').setRemaining('minute', 7);
  await page.getByRole('cell', { name: '503' }).waitFor();
  expect(await page.evaluate(weakContrasts)).toEqual([]);
});

/** Texts whose contrast is below 4.5 to 1, as the browser has drawn them. */
function weakContrasts(): string[] {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = channels(colour).map((v) =>
      v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element: Element | null): string => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  return [
    ...document.querySelectorAll('h1, h2, p, span, strong, td, th, label, button, input, select'),
  ].flatMap((element) => {
    if (element.textContent?.trim() === '' || element.getClientRects().length === 0) return [];
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [`${element.tagName} "${element.textContent}" ${ratio.toFixed(2)}`] : [];
  });
}
