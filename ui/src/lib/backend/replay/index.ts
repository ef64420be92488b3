// The replaying backend as the window opens it: `?replay=NAME` chooses the scene, `&pace=` stretches or shrinks time, and the
// window's event `orion:touch` changes the written file on disk.

import type { Backend } from '../backend';
import { sceneOf } from './scenes';
import { ReplayBackend } from './world';

export function openBackend(): Promise<Backend> {
  const chosen = new URLSearchParams(location.search);
  const backend = new ReplayBackend(sceneOf(chosen.get('replay') ?? 'finished'), Number(chosen.get('pace') ?? '1'));
  addEventListener('orion:touch', () => backend.touch());
  return Promise.resolve(backend);
}
