// A bar in one line of words: what it is, how long it took and why, how it ended.

import { plain } from '../plain';
import { duration } from '../words';
import { endOf, type Entry, PART_WORDS, textAttribute, titleOf } from './entry';
import { partsOf } from './parts';
import { stepWords, type Timeline } from './timeline';

const ENDED: Partial<Record<Entry['span']['status'], string>> = { refused: 'refused', failed: 'failed', stopped: 'stopped' };

export function sentence(timeline: Timeline, entry: Entry, nowMs: number): string {
  const { name, detail } = titleOf(entry);
  const step = timeline.steps[entry.step];
  const { span } = entry;
  const facts = [plain(detail === '' ? name : `${name} ${detail}`, 120)];
  if (step) facts.push(stepWords(timeline, step));
  if (entry.sort === 'refused') facts.push('a repeat, not run again');
  else if (entry.sort === 'reused') facts.push('unchanged, not read again');
  else facts.push(span.endMs === null ? 'running' : duration(endOf(span, nowMs) - span.startMs));
  const parts = partsOf(entry, nowMs);
  if (parts.length > 1) facts.push(parts.map(({ sort, fromMs, toMs }) => `${PART_WORDS[sort].toLowerCase()} ${duration(toMs - fromMs)}`).join(', '));
  const ended = entry.sort === 'refused' ? undefined : ENDED[span.status];
  if (ended) facts.push(ended);
  const result = timeline.resultOf(entry);
  const summary = result && textAttribute(result, 'summary');
  if (summary) facts.push(plain(summary, 80));
  return facts.join(' · ');
}
