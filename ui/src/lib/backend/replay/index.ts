// The replaying backend as the window opens it: `?replay=NAME` chooses the scene, `&pace=` stretches or shrinks time, `&late=`
// makes every answer that many milliseconds late, the window's event `orion:touch` changes the written file on disk, and `orion:shown`
// opens a project from outside.

import type { Backend } from '../backend';
import { error } from './fixtures';
import { sceneOf } from './scenes';
import { ReplayBackend } from './world';

export function openBackend(): Promise<Backend> {
  const chosen = new URLSearchParams(location.search);
  const scene = sceneOf(chosen.get('replay') ?? 'finished');
  const backend = new ReplayBackend(scene, Number(chosen.get('pace') ?? '1'));
  addEventListener('orion:touch', () => backend.touch());
  addEventListener('orion:shown', () => backend.shown());
  const core: Backend = {
    submit: (op) => backend.submit(op),
    query: async (query) => scene.answers?.(query) ?? backend.query(query),
    zoom,
    subscribe: (onUpdates) => backend.subscribe(onUpdates),
  };
  return Promise.resolve(late(core, Number(chosen.get('late') ?? '0')));
}

/** A browser zooms by itself; what is asked for is told to the test, which may refuse it. */
const zoom = (factor: number): Promise<void> =>
  window.dispatchEvent(new CustomEvent('orion:zoom', { detail: factor, cancelable: true }))
    ? Promise.resolve()
    : Promise.reject(error('internal', 'The window did not change its size.', 'Try again.'));

/** A core on a slow machine: what it is asked takes a while to arrive, and so does what it answers. */
function late(backend: Backend, ms: number): Backend {
  if (ms === 0) return backend;
  const arrives = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value), ms / 2));
  return {
    submit: async (op) => arrives(await backend.submit(op)),
    query: async (query) => arrives(await backend.query(await arrives(query))),
    zoom,
    subscribe: (onUpdates, after) => backend.subscribe(onUpdates, after),
  };
}
