// About this computer: the report that is shown, and looking again. Not here: how it looks (ui/computer).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { DoctorReport } from '$lib/generated/DoctorReport';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { OrionWindow } from './window.svelte';

/** `before` is what was found the last time, which stays in view while somebody looks again. */
export type Looked =
  | { kind: 'looking'; before: DoctorReport | null }
  | { kind: 'found'; report: DoctorReport }
  | { kind: 'failed'; error: ErrorInfo };

export class Computer {
  looked: Looked = $state.raw({ kind: 'looking', before: null });
  #asking = false;

  constructor(private readonly orion: OrionWindow) {}

  /** Opens the dialog. What was found earlier may not be so any more, and is not shown. */
  show(): void {
    this.looked = { kind: 'looking', before: null };
    this.orion.overlay = { kind: 'computer' };
    void this.#ask();
  }

  look(): void {
    if (this.looked.kind === 'looking') return;
    this.looked = { kind: 'looking', before: this.looked.kind === 'found' ? this.looked.report : null };
    void this.#ask();
  }

  /** Every endpoint is asked, so once at a time. */
  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { report } = await ask(this.orion.backend, { type: 'doctor' });
      this.looked = { kind: 'found', report };
    } catch (thrown) {
      this.looked = { kind: 'failed', error: asErrorInfo(thrown) };
    } finally {
      this.#asking = false;
    }
  }
}
