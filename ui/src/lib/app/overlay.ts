// The dialogs that cover the window: one at a time.

import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { Endpoint } from '$lib/generated/Endpoint';

export type Overlay =
  | { kind: 'none' }
  | { kind: 'palette' }
  | { kind: 'settings'; page?: 'project' }
  | { kind: 'connect'; endpoint?: Endpoint | null }
  | { kind: 'key'; endpoint: Endpoint }
  | { kind: 'shortcuts' }
  | { kind: 'computer' }
  | { kind: 'sent'; requestId: string; call: number }
  | { kind: 'rewind'; requestId: string }
  | { kind: 'routes'; requestId: string }
  | { kind: 'export'; of: ChangesOf }
  | { kind: 'trace' }
  | { kind: 'figures' };
