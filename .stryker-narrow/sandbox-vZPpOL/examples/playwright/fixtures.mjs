// @ts-nocheck
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { test as base } from 'playwright/test'; // in your own project: '@playwright/test'
import { createApp } from './app.mjs';

/** Each test has its own service and its own app, so tests can run in parallel. */
export const test = base.extend({
  service: async ({}, use) => {
    const service = createMockService({ clock: 'virtual' });
    await use(service);
    service.report().assertPolite();
  },
  baseURL: async ({ service }, use) => {
    const client = new PetStoreClient({
      fetch: service.fetch,
      apiKey: 'mock-free',
      maxRetries: 0,
      maxWait: 2_000,
    });
    const app = createApp(client);
    await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${app.address().port}`);
    await new Promise((resolve) => app.close(resolve).closeAllConnections());
  },
});

export { expect } from 'playwright/test';
