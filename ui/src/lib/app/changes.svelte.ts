// All files that a turn, or the open session, has changed: the Changes tab. Not here: how it looks (ui/changes).

import type { ChangedFile } from '$lib/generated/ChangedFile';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import { changedByCommands } from '$lib/model/command';
import { writesOf } from '$lib/model/write';
import { Differences } from './differences.svelte';

export class Changes extends Differences {
  /** Of the whole session, else of the latest turn that changed a file. */
  whole = $state(true);

  /** The latest turn of those in memory that wrote a file, or whose commands changed one. */
  turnId: string | null = $derived.by(
    () =>
      this.orion.turns.findLast((turn) => writesOf(turn).length > 0 || changedByCommands(turn) > 0)?.requestId ?? null,
  );
  /** Changes when the list has to be asked for again. */
  key: string = $derived.by(() => {
    const { sessionId, turns, filesRevision } = this.orion;
    const stages = turns.flatMap((turn) =>
      writesOf(turn).map(({ stage }) => (stage.kind === 'done' ? stage.undone.kind : stage.kind)),
    );
    const commands = turns.map(changedByCommands);
    return JSON.stringify([sessionId, this.whole ? null : this.turnId, filesRevision, stages, commands]);
  });

  get of(): ChangesOf | null {
    const { sessionId } = this.orion;
    if (!this.whole) return this.turnId === null ? null : { type: 'turn', requestId: this.turnId };
    return sessionId === null ? null : { type: 'session', sessionId };
  }

  protected override next(files: readonly ChangedFile[]): ChangedFile | undefined {
    return super.next(files) ?? files[0];
  }
}
