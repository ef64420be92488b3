import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterApproval, answered, asking, cutOff, exhausted, idsOf, record, type Script } from '$lib/backend/replay/scripts';
import type { Envelope } from '$lib/generated/Envelope';
import { emptyTurn, foldEnvelope, missingAfter, type Turn } from './turn';

const journalOf = (script: Script) => record(script, 't-1', 's-1', 'p-1').envelopes();
const foldAll = (envelopes: readonly Envelope[], from?: Turn) =>
  envelopes.reduce(foldEnvelope, from ?? emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
const isChunk = ({ event }: Envelope) => event.type === 'text_chunk' || event.type === 'reasoning_chunk';

/** What the core answers to a refill: events after `seq`, text coalesced. */
function refill(journal: readonly Envelope[], afterSeq: number): Envelope[] {
  const answer: Envelope[] = [];
  for (const envelope of journal.filter(({ seq }) => seq > afterSeq)) {
    const last = answer.at(-1);
    if (last && isChunk(last) && last.event.type === envelope.event.type && last.seq === envelope.seq) {
      const [a, b] = [last.event, envelope.event] as { text: string }[];
      answer[answer.length - 1] = { ...last, event: { ...last.event, text: `${a?.text}${b?.text}` } as Envelope['event'] };
    } else answer.push(envelope);
  }
  return answer;
}

function settle(turn: Turn, journal: readonly Envelope[]): Turn {
  for (let asked = 0; asked < 4; asked++) {
    const after = missingAfter(turn);
    if (after === null) return turn;
    turn = foldAll(refill(journal, after), turn);
  }
  throw new Error('The turn still lacks something after four refills.');
}

const JOURNALS = { answered: journalOf(answered), exhausted: journalOf(exhausted), cutOff: journalOf(cutOff) };

test.each(Object.entries(JOURNALS))('T5: %s is the same turn whatever came twice, late or not at all', (_name, journal) => {
  const whole = foldAll(journal);
  const lastReasoning = journal.findLastIndex(({ event }) => event.type === 'reasoning_chunk');
  expect(whole.held).toEqual([]);
  const delivery = fc.array(fc.record({ copies: fc.integer({ min: 0, max: 2 }), late: fc.integer({ min: 0, max: 12 }) }), {
    minLength: journal.length,
    maxLength: journal.length,
  });
  fc.assert(
    fc.property(delivery, (how) => {
      const sent = journal.flatMap((envelope, index) => {
        const { copies, late } = how[index] ?? { copies: 1, late: 0 };
        // What ends a stream always arrives: after it there is nothing that could show its loss.
        const times = index === journal.length - 1 || index === lastReasoning ? Math.max(copies, 1) : copies;
        return Array.from({ length: times }, (_, copy) => ({ envelope, at: index + late * (copy + 1) }));
      });
      const arrived = sent.toSorted((a, b) => a.at - b.at).map(({ envelope }) => envelope);
      expect(settle(foldAll(arrived), journal)).toEqual(whole);
    }),
    { numRuns: 300 },
  );
});

test('T2: an event that comes twice changes nothing', () => {
  const turn = foldAll(JOURNALS.answered);
  for (const envelope of JOURNALS.answered) expect(foldEnvelope(turn, envelope)).toBe(turn);
});

test('T3: nothing follows the terminal event', () => {
  const turn = foldAll(JOURNALS.answered);
  const last = JOURNALS.answered.at(-1) as Envelope;
  expect(foldEnvelope(turn, { ...last, seq: last.seq + 1, event: { type: 'notice', code: 'other', message: 'late' } })).toBe(turn);
});

test('T6: a missing event is seen by its seq, and what came after it is held', () => {
  const journal = JOURNALS.answered;
  const lost = journal.findIndex(({ event }) => event.type === 'tool_result');
  const turn = foldAll([...journal.slice(0, lost), ...journal.slice(lost + 1, lost + 3)]);
  expect(missingAfter(turn)).toBe((journal[lost] as Envelope).seq - 1);
  expect(turn.held).toEqual(journal.slice(lost + 1, lost + 3));
});

test('E1: missing text is seen by its offset, and asked for from before the text that is there', () => {
  const journal = JOURNALS.cutOff;
  const lost = journal.findLastIndex(({ event }) => event.type === 'text_chunk') - 1;
  const turn = foldAll([...journal.slice(0, lost), journal[lost + 1] as Envelope]);
  const after = missingAfter(turn);
  expect(after).not.toBeNull();
  expect(foldAll(refill(journal.slice(0, lost + 2), after as number), turn)).toEqual(foldAll(journal.slice(0, lost + 2)));
});

test('E1: text lost just before the end is seen because the report has the whole answer', () => {
  const journal = JOURNALS.answered;
  const lost = journal.findLastIndex(({ event }) => event.type === 'text_chunk');
  const turn = foldAll(journal.toSpliced(lost, 1));
  expect(turn.end?.kind).toBe('completed');
  expect(missingAfter(turn)).not.toBeNull();
  expect(settle(turn, journal)).toEqual(foldAll(journal));
});

test('E1: a turn that ended with all its text lacks nothing, though its report has empty lines between the phases', () => {
  for (const journal of Object.values(JOURNALS)) {
    const turn = foldAll(journal);
    const said = journal.map(({ event }) => (event.type === 'text_chunk' ? event.text : '')).join('');
    // Three phases with text: two joints that no chunk brings. The turn that was cut off had three as well.
    expect(turn.end?.report.answer.length).toBe(said.length + (journal === JOURNALS.exhausted ? 6 : 4));
    expect(missingAfter(turn)).toBeNull();
  }
});

test('E3: an event of an unknown type takes its seq and changes nothing else', () => {
  const before = foldAll(JOURNALS.answered.slice(0, 4));
  const envelope = { ...(JOURNALS.answered[3] as Envelope), seq: before.seq + 1, event: { type: 'moon_rose' } } as unknown as Envelope;
  expect(foldEnvelope(before, envelope)).toEqual({ ...before, seq: before.seq + 1, atMs: envelope.atMs });
});

test('an answered turn shows its items in the order of the journal', () => {
  expect(foldAll(JOURNALS.exhausted).items.map((item) => item.kind)).toEqual([
    'reasoning', 'text', 'tool', 'tool_phase', 'text', 'tool', 'tool_phase', 'text', 'tool', 'blocked', 'tool_phase',
    'refused', 'notice', 'final_phase', 'text',
  ]);
});

test('A3: a turn waits with the exact call until that call is answered, and no longer than it runs', () => {
  const recording = asking(idsOf('t-1', 's-1', 'p-1'), 'Where?', 0);
  const asked = foldAll(recording.envelopes());
  const digest = 'digest of call-1';
  expect(asked.asking).toEqual({ digest, callId: 'call-1', name: 'search_files', summary: '{"pattern":"Config::|load\\\\(","glob":"src/**/*.rs"}' });
  const last = recording.envelopes().at(-1) as Envelope;
  const next = (event: Envelope['event']) => foldEnvelope(asked, { ...last, seq: last.seq + 1, event }).asking;
  expect(next({ type: 'approval_given', digest: 'another', granted: true })).toEqual(asked.asking);
  expect(next({ type: 'approval_given', digest, granted: true })).toBeNull();
  expect(next({ type: 'interrupted' })).toBeNull();
  const ended = foldAll(afterApproval(recording, false).envelopes());
  expect([ended.asking, ended.end?.kind]).toEqual([null, 'completed']);
});

test('R4: a result goes to its own box and counts as one run', () => {
  const turn = foldAll(JOURNALS.exhausted);
  const tools = turn.items.flatMap((item) => (item.kind === 'tool' ? [[item.callId, item.outcome?.status, item.outcome?.summary]] : []));
  expect(tools).toEqual([['call-1', 'ok', '12 entries'], ['call-2', 'ok', '32 lines'], ['call-3', 'failed', 'not found']]);
  expect([turn.toolRuns, turn.modelCalls, turn.phase.cycle]).toEqual([3, 5, 3]);
});
