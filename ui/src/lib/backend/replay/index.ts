// The replaying backend as the window opens it: `?replay=NAME` chooses the scene, `&pace=` stretches or shrinks time.

import type { Backend } from '../backend';
import { sceneOf } from './scenes';
import { ReplayBackend } from './world';

export function openBackend(): Promise<Backend> {
  const chosen = new URLSearchParams(location.search);
  return Promise.resolve(new ReplayBackend(sceneOf(chosen.get('replay') ?? 'finished'), Number(chosen.get('pace') ?? '1')));
}
