import { createServer, type AddressInfo } from 'node:net';
import { defineConfig } from '@playwright/test';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Workers read this file too: they must find the port that the server has.
process.env['ORION_REPLAY_PORT'] ??= String(await freePort());
const baseURL = `http://127.0.0.1:${process.env['ORION_REPLAY_PORT']}`;

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  workers: 2,
  reporter: [['list']],
  // Far more than anything takes: how fast it is, is measured elsewhere.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL,
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env['ORION_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox'],
    },
  },
  webServer: {
    command: `npx vite preview --outDir dist-replay --port ${process.env['ORION_REPLAY_PORT']}`,
    url: baseURL,
    reuseExistingServer: false,
  },
});
