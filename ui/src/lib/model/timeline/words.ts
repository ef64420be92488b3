// A bar in one line of words: what it is, how long it took and why, how it ended.

import { words } from '$lib/words';
import { plain } from '../plain';
import { duration } from '../words';
import { endOf, type Entry, PART_WORDS, textAttribute, titleOf } from './entry';
import { partsOf } from './parts';
import { stepWords, type Timeline } from './timeline';

/** What is worth a word at the end of a line. */
const ENDED: ReadonlySet<string> = new Set(['refused', 'failed', 'stopped']);

export function sentence(timeline: Timeline, entry: Entry, nowMs: number): string {
  const { name, detail } = titleOf(entry);
  const step = timeline.steps[entry.step];
  const { span } = entry;
  const facts = [plain(detail === '' ? name : `${name} ${detail}`, 120)];
  if (step) facts.push(stepWords(timeline, step));
  if (entry.sort === 'refused') facts.push(words.spans.repeat);
  else if (entry.sort === 'reused') facts.push(words.spans.notReadAgain);
  else facts.push(span.endMs === null ? words.spans.running : duration(endOf(span, nowMs) - span.startMs));
  const parts = partsOf(entry, nowMs);
  if (parts.length > 1)
    facts.push(parts.map(({ sort, fromMs, toMs }) => words.spans.part(PART_WORDS[sort], toMs - fromMs)).join(', '));
  const ended = entry.sort !== 'refused' && ENDED.has(span.status) ? words.spans.statuses[span.status] : undefined;
  if (ended) facts.push(ended);
  const result = timeline.resultOf(entry);
  const summary = result && textAttribute(result, 'summary');
  if (summary) facts.push(plain(summary, 80));
  return facts.join(' · ');
}
