// The core behind Tauri's four commands. The only file that imports `@tauri-apps/*`.

import { Channel, invoke } from '@tauri-apps/api/core';
import type { Update } from '$lib/generated/Update';
import type { Backend } from './backend';

export function openBackend(): Promise<Backend> {
  return Promise.resolve({
    submit: (op) => invoke('submit', { op }),
    query: (query) => invoke('query', { query }),
    zoom: (factor) => invoke('zoom', { factor }),
    subscribe: async (onUpdates, after) => {
      let open = true;
      const channel = new Channel<Update[]>();
      channel.onmessage = (updates) => {
        if (open) onUpdates(updates);
      };
      await invoke('subscribe', { channel, after: after ?? null });
      return () => {
        open = false;
      };
    },
  });
}
