// Sessions as files: writing one, and opening one that was written elsewhere. The core asks the person for the file.

import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { ExportedFile } from '$lib/generated/ExportedFile';
import type { ExportFormat } from '$lib/generated/ExportFormat';
import type { OrionWindow } from './window.svelte';

export class Exporting {
  constructor(private readonly orion: OrionWindow) {}

  /** Null when the person closed the dialog. Rejects with an `ErrorInfo`. */
  async write(of: ChangesOf, format: ExportFormat, files: boolean): Promise<ExportedFile | null> {
    const outcome = await this.orion.backend.submit({ type: 'export', of, path: null, format, files, replaces: false });
    return outcome.type === 'exported' ? outcome.file : null;
  }

  /** Opens an exported session, and shows it. */
  async open(): Promise<void> {
    const outcome = await this.orion.submit({ type: 'import', path: null });
    if (outcome?.type !== 'session') return;
    await this.orion.attempt(() => this.orion.load());
    await this.orion.openSession(outcome.session.sessionId);
  }
}
