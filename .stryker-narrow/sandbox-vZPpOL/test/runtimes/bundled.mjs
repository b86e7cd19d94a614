// @ts-nocheck
// Runtimes that take one bundled file: workerd and Chromium.
import { join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { chromium } from 'playwright';
import { chromiumOptions } from '../support/chromium.ts';

async function bundle(file, options) {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    ...options,
  });
  return outputFiles[0].text;
}

export async function inWorkerd(url) {
  const script = await bundle('worker.js', {
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
  });
  // What it prints (the warning that getPet is deprecated) would stand between the lines of the run.
  const handleRuntimeStdio = (...streams) => streams.forEach((stream) => stream.resume());
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-07-01',
    cf: false,
    handleRuntimeStdio,
  });
  try {
    const answer = await worker.dispatchFetch(`http://worker/?service=${encodeURIComponent(url)}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  } finally {
    await worker.dispose();
  }
}

export async function inChromium(url) {
  const content = await bundle('page.js', { format: 'iife' });
  const browser = await chromium.launch(chromiumOptions);
  try {
    const page = await browser.newPage();
    // Another origin than the one that is called, so that the answers must pass CORS.
    await page.goto(`${url.replace('127.0.0.1', 'localhost')}/openapi.json`);
    await page.addScriptTag({ content });
    await page.evaluate((service) => globalThis.runSuite(service), url);
    return browser.version();
  } finally {
    await browser.close();
  }
}
