import { defineConfig } from 'playwright/test';

// Playwright's own browser (npx playwright install chromium), or the one that CHROMIUM names, in a container too.
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
