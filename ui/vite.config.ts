import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import tauri from '../tauri.conf.json' with { type: 'json' };

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// The preview has the walls of the real window, so the suites run inside them.
const contentSecurityPolicy = Object.entries(tauri.app.security.csp)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');

// The window's script and style come while the shell is painted, not after (src/main.ts).
const fetchEarly: Plugin = {
  name: 'fetch-early',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const script = Object.values(bundle ?? {}).find(
        (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith('/src/open.ts'),
      );
      const styles = [...(script?.type === 'chunk' ? (script.viteMetadata?.importedCss ?? []) : [])];
      return (
        script && [
          ...styles.map((style) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'style', crossorigin: true, href: `/${style}` },
            injectTo: 'head' as const,
          })),
          {
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${script.fileName}` },
            injectTo: 'head' as const,
          },
        ]
      );
    },
  },
};

// `--mode replay` builds the same window on the replaying backend; recordings are in no other bundle.
export default defineConfig(({ mode }) => ({
  plugins: [svelte(), fetchEarly],
  resolve: {
    alias: {
      $lib: path('./src/lib'),
      '#backend': path(mode === 'replay' ? './src/lib/backend/replay/index.ts' : './src/lib/backend/tauri.ts'),
    },
  },
  // The oldest web views Orion runs in: WebKitGTK 2.44, WKWebView of macOS 14.5, WebView2 123.
  build: {
    target: ['safari17.5', 'chrome123'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  clearScreen: false,
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
  preview: { host: '127.0.0.1', strictPort: true, headers: { 'Content-Security-Policy': contentSecurityPolicy } },
  // The property tests draw thousands of cases; a busy machine takes a multiple of the usual second.
  // One thread takes file after file, so that what they share is read once.
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    pool: 'threads',
    isolate: false,
    setupFiles: ['./seed.ts'],
    testTimeout: 60_000,
  },
}));
