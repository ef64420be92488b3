// What a person takes out of the conversation, or pins, before the next message (X3): choices until it is sent. Pure.

import type { ContextBox } from '$lib/generated/ContextBox';
import type { ContextEdit } from '$lib/generated/ContextEdit';
import type { ContextPart } from '$lib/generated/ContextPart';
import type { ContextView } from '$lib/generated/ContextView';
import { words } from '$lib/words';

/** A turn, or one result in it. */
export interface TurnOrResult {
  requestId: string;
  box: ContextBox | null;
}

const isOf = (of: TurnOrResult, edit: ContextEdit): boolean =>
  edit.requestId === of.requestId && ('toolCallId' in edit ? edit.toolCallId === of.box?.toolCallId : of.box === null);

const takesOut = ({ type }: ContextEdit): boolean => type === 'empty_box' || type === 'remove_turn';

export function isOut(edits: readonly ContextEdit[], of: TurnOrResult): boolean {
  return edits.some((edit) => takesOut(edit) && isOf(of, edit));
}

/** Takes it out with the next message, or leaves it where it is after all. */
export function toggleOut(edits: readonly ContextEdit[], of: TurnOrResult): ContextEdit[] {
  const rest = edits.filter((edit) => !(takesOut(edit) && isOf(of, edit)));
  if (rest.length < edits.length) return rest;
  const { requestId, box } = of;
  return [
    ...rest,
    box === null ? { type: 'remove_turn', requestId } : { type: 'empty_box', requestId, toolCallId: box.toolCallId },
  ];
}

const pinOf = (edits: readonly ContextEdit[], of: TurnOrResult): boolean | null => {
  const edit = edits.find((other) => !takesOut(other) && isOf(of, other));
  return edit && 'pinned' in edit ? edit.pinned : null;
};

/** With what was chosen and not sent yet. */
export function isPinned(edits: readonly ContextEdit[], of: TurnOrResult, part: ContextPart): boolean {
  return pinOf(edits, of) ?? of.box?.pinned ?? part.pinned;
}

export function togglePin(edits: readonly ContextEdit[], of: TurnOrResult, part: ContextPart): ContextEdit[] {
  const rest = edits.filter((edit) => takesOut(edit) || !isOf(of, edit));
  const pinned = !isPinned(edits, of, part);
  if (pinned === (of.box?.pinned ?? part.pinned)) return rest;
  const { requestId, box } = of;
  return [
    ...rest,
    box === null
      ? { type: 'pin_turn', requestId, pinned }
      : { type: 'pin_box', requestId, toolCallId: box.toolCallId, pinned },
  ];
}

/** Without what is of no turn and no result in this view any more. */
export function still(edits: readonly ContextEdit[], view: ContextView): ContextEdit[] {
  const all = view.parts.flatMap(({ requestId, boxes }) =>
    requestId === null ? [] : [{ requestId, box: null }, ...boxes.map((box) => ({ requestId, box }))],
  );
  return edits.filter((edit) => all.some((of) => isOf(of, edit)));
}

/** What happens with the next message; null when nothing was chosen. */
export function editWords(edits: readonly ContextEdit[]): string | null {
  const [out, pins] = [edits.filter(takesOut).length, edits.filter((edit) => !takesOut(edit)).length];
  return out + pins === 0 ? null : words.context.withNextMessage(out, pins);
}
