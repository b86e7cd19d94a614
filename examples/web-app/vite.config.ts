import { defineConfig } from 'vite';

// main.ts waits for the service worker at its top level.
export default defineConfig({ build: { target: 'es2022' } });
