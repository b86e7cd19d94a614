// @ts-nocheck
import { defineConfig } from 'playwright/test';

// Uses Playwright's browser (npx playwright install chromium), or the one at the path CHROMIUM, which also works in a container.
const { CHROMIUM } = process.env;
const launchOptions = CHROMIUM
  ? { executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] }
  : {};

export default defineConfig({
  testDir: '.',
  outputDir: '../../temp/playwright',
  reporter: 'list',
  use: { launchOptions },
});
