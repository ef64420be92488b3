// What fills the model's room, in words and shares (X2, X3). Pure.

import type { ContextBox } from '$lib/generated/ContextBox';
import type { ContextLoss } from '$lib/generated/ContextLoss';
import type { ContextPart } from '$lib/generated/ContextPart';
import type { ContextView } from '$lib/generated/ContextView';
import { words } from '$lib/words';
import { mainArgument } from './words';

/** Above this a request is cut before it is sent (X3). */
const FULL = 0.8;

/** Of the room, from 0; null where no room is known. */
export function share(tokens: number, room: number): number | null {
  return room > 0 ? tokens / room : null;
}

/** `12 %`, `<1 %`, or nothing where no room is known. */
export function percent(tokens: number, room: number): string {
  const part = share(tokens, room);
  if (part === null) return '';
  return tokens > 0 && part < 0.01 ? '<1 %' : `${Math.floor(part * 100)} %`;
}

export function isFull({ tokens, room }: ContextView): boolean {
  return (share(tokens, room) ?? 0) > FULL;
}

/** `about 3,120 of 24,576 tokens`. */
export function roomWords({ tokens, room, counted }: ContextView): string {
  return words.context.room(tokens, room, counted);
}

/** How large the room is, and why. */
export function windowWords({ window, windowSource, answer }: ContextView): string {
  return window === null
    ? words.context.windowNotKnown
    : words.context.window(window, answer, windowSource === 'assumed');
}

export function partName({ kind, text, count: n }: ContextPart): string {
  switch (kind) {
    case 'system':
      return words.context.system;
    case 'instructions':
      return words.context.instructions;
    case 'tools':
      return words.context.tools(n);
    case 'turn':
      return text === '' ? words.context.earlierMessages : text;
  }
}

/** Such as `read_file src/config.rs`, and its main argument apart. */
export function boxName({ name, arguments: args }: ContextBox): [name: string, argument: string] {
  if (name === 'attachment') return [words.context.attachment, mainArgument(args)];
  return [name === '' ? words.context.result : name, mainArgument(args)];
}

/** What the next message would cut: `12 of 30 results and 4 of 9 messages`; null when nothing. */
export function lossWords(loss: ContextLoss): string {
  const { results, ofResults, messages, ofMessages, earlier } = loss;
  return words.context.loss(results, ofResults, messages, ofMessages, earlier);
}

/** Said before the message is sent; null where nothing would leave. */
export function warning({ model, cut }: ContextView): string | null {
  if (cut === null) return null;
  if (!cut.fits) return words.context.doesNotFit(model);
  return words.context.wouldBeCut(model, lossWords(cut));
}
