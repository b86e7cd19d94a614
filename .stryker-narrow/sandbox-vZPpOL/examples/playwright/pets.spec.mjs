// @ts-nocheck
import { expect, test } from './fixtures.mjs';

test('an added pet is in the list', async ({ page, service }) => {
  service.pets.add({ name: 'Rex', categoryId: 1, status: 'sold' });
  await page.goto('/');
  await expect(page.getByRole('listitem')).toHaveText(['Rex (sold)']);

  await page.getByLabel('Name').fill('<Mia>');
  await page.getByLabel('Category').fill('2');
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('status')).toHaveText('<Mia> is in the store.');
  await expect(page.getByRole('listitem').filter({ hasText: '<Mia>' })).toHaveCount(1);
});

test('a failure of the service shows a message, and the next visit succeeds', async ({
  page,
  service,
}) => {
  service.faults.add({ operation: 'listPets', status: 500, times: 1 });
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText('The store is not available.');
  await page.reload();
  await expect(page.getByRole('status')).toHaveText('');
});

test('an exhausted minute shows the waiting time, and the page works a minute later', async ({
  page,
  service,
}) => {
  service.keys.get('mock-free').exhaust('minute');
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText(/^Busy\. Please come back in \d+ seconds\.$/);
  service.clock.advance('61s');
  await page.reload();
  await expect(page.getByRole('status')).toHaveText('');
});
