// A turn as it was written, for where it cannot be drawn: nothing here looks into a text. The boundary around each turn is in
// ui/chat/Conversation.svelte, and ui/chat/TurnSource.svelte stands in the turn's place.

import type { Turn } from './turn';

/** The person's message and all that was said and called after it, in its order. */
export function sourceOf(turn: Turn): string[] {
  const items = turn.items.map((item) => {
    switch (item.kind) {
      case 'text':
      case 'reasoning':
      case 'steered':
        return item.text;
      case 'tool':
        return [item.name, JSON.stringify(item.arguments), item.outcome?.summary ?? ''].join('\n');
      case 'notice':
        return item.message;
      default:
        return '';
    }
  });
  return [turn.start?.text ?? '', ...items].filter((text) => text.trim() !== '');
}
