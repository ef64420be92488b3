// What is copied of a turn, as Markdown. Not here: a whole session, which the core exports.

import { words } from '$lib/words';
import { attachedAgain } from './transfer';
import { boxWords, OPERATIONS } from './diff/words';
import { partsOf, stepWords } from './folds';
import type { Item } from './item';
import type { Turn } from './turn';

/** What the model said last: all texts after its last act. */
export function answerOf(turn: Turn): string {
  const lastAct = turn.items.findLastIndex(
    ({ kind }) => kind === 'tool' || kind === 'write' || kind === 'reused' || kind === 'refused',
  );
  return texts(turn.items.slice(lastAct + 1));
}

/** The message, what was done and what was said, in their order. */
export function turnAsMarkdown(turn: Turn): string {
  const names = attachedAgain(turn.attached).map(({ name }) => name);
  const came = names.length > 0 ? `*${plain(words.attachments.cameWith(names.join(', ')))}*` : '';
  const asked = turn.start
    ? [`**${words.reading.asked}**`, quoted(turn.start.text), came, `**${words.reading.answered}**`]
    : [];
  const said = partsOf(turn).map((part) => {
    if (part.kind === 'steps') {
      const did = stepWords(part.items);
      return did.length > 0 ? `*${plain(did.join(', '))}*` : '';
    }
    const { item } = part;
    if (item.kind === 'text') return item.text.trim();
    if (item.kind === 'steered') return quoted(item.text);
    if (item.kind === 'write')
      return `*${plain([`${item.path} (${OPERATIONS[item.operation]})`, ...boxWords(turn, item).facts].join(' · '))}*`;
    return '';
  });
  return [...asked, ...said].filter((part) => part !== '').join('\n\n');
}

function texts(items: readonly Item[]): string {
  return items
    .flatMap((item) => (item.kind === 'text' && item.text.trim() !== '' ? [item.text.trim()] : []))
    .join('\n\n');
}

/** What a person wrote is text and no Markdown of the copy. */
function quoted(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** On one line, and nothing of it is Markdown. */
function plain(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\\`*_[\]<>~|$]/gu, '\\$&');
}
