// @ts-nocheck
import { defineConfig } from 'vite';

export default defineConfig(({ mode }) => ({
  build: {
    // public/ holds only mockServiceWorker.js, the worker of the mock. A page with other public files keeps it in a folder of its own.
    copyPublicDir: mode !== 'production',
    chunkSizeWarningLimit: 1_000,
  },
}));
