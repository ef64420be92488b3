import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterApproval,
  answered,
  asking,
  cutOff,
  exhausted,
  idsOf,
  record,
  type Script,
} from '$lib/backend/replay/scripts';
import { EDIT_FOX, guide, HOSTILE, NEW_GUIDE } from '$lib/backend/replay/drafts';
import { leaked, noAnswer, readAsMeant } from '$lib/backend/replay/meant';
import { NO, YES } from '$lib/backend/replay/recorded';
import { ended, proposing, refusedByDisk, writing } from '$lib/backend/replay/writeScripts';
import type { Envelope } from '$lib/generated/Envelope';
import { shownText } from './content';
import { emptyTurn, foldEnvelope, missingAfter, type Turn } from './turn';
import { askedWrite, viewed, openWrite, writesOf } from './write';

const journalOf = (script: Script) => record(script, 't-1', 's-1', 'p-1').envelopes();
const foldAll = (envelopes: readonly Envelope[], from?: Turn) =>
  envelopes.reduce(foldEnvelope, from ?? emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
const isChunk = ({ event }: Envelope) => event.type === 'text_chunk' || event.type === 'reasoning_chunk';

/** What the core answers to a refill: events after `seq`, text coalesced. */
function refill(journal: readonly Envelope[], afterSeq: number): Envelope[] {
  const answer: Envelope[] = [];
  for (const envelope of journal.filter(({ seq }) => seq > afterSeq)) {
    const last = answer.at(-1);
    // W2: content is not kept event by event; a window asks for the session.
    if (envelope.event.type === 'write_progress') continue;
    if (last && isChunk(last) && last.event.type === envelope.event.type && last.seq === envelope.seq) {
      const [a, b] = [last.event, envelope.event] as { text: string }[];
      answer[answer.length - 1] = {
        ...last,
        event: { ...last.event, text: `${a?.text}${b?.text}` } as Envelope['event'],
      };
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

const JOURNALS = {
  answered: journalOf(answered),
  exhausted: journalOf(exhausted),
  cutOff: journalOf(cutOff),
  written: journalOf(ended(EDIT_FOX, [2])),
  proposed: journalOf(proposing(HOSTILE)),
};

test.each(Object.entries(JOURNALS))(
  'T5: %s is the same turn whatever came twice, late or not at all',
  (_name, journal) => {
    const whole = foldAll(journal);
    const lastReasoning = journal.findLastIndex(({ event }) => event.type === 'reasoning_chunk');
    // Without an end nothing tells how much text there was.
    const lastText = whole.end ? -1 : journal.findLastIndex(({ event }) => event.type === 'text_chunk');
    expect(whole.held).toEqual([]);
    const delivery = fc.array(
      fc.record({ copies: fc.integer({ min: 0, max: 2 }), late: fc.integer({ min: 0, max: 12 }) }),
      {
        minLength: journal.length,
        maxLength: journal.length,
      },
    );
    fc.assert(
      fc.property(delivery, (how) => {
        const sent = journal.flatMap((envelope, index) => {
          const { copies, late } = how[index] ?? { copies: 1, late: 0 };
          // What ends a stream always arrives: after it there is nothing that could show its loss.
          const times =
            index === journal.length - 1 || index === lastReasoning || index === lastText
              ? Math.max(copies, 1)
              : copies;
          return Array.from({ length: times }, (_, copy) => ({ envelope, at: index + late * (copy + 1) }));
        });
        const arrived = sent.toSorted((a, b) => a.at - b.at).map(({ envelope }) => envelope);
        expect(settle(foldAll(arrived), journal)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  },
);

test('T2: an event that comes twice changes nothing', () => {
  const turn = foldAll(JOURNALS.answered);
  for (const envelope of JOURNALS.answered) expect(foldEnvelope(turn, envelope)).toBe(turn);
});

test('T3: nothing follows the terminal event', () => {
  const turn = foldAll(JOURNALS.answered);
  const last = JOURNALS.answered.at(-1) as Envelope;
  expect(
    foldEnvelope(turn, { ...last, seq: last.seq + 1, event: { type: 'notice', code: 'other', message: 'late' } }),
  ).toBe(turn);
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
  expect(foldAll(refill(journal.slice(0, lost + 2), after as number), turn)).toEqual(
    foldAll(journal.slice(0, lost + 2)),
  );
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
    // Between two phases with text is a joint that no chunk brings.
    if (!turn.end) continue;
    const phases = turn.items.filter((item) => item.kind === 'text').length;
    expect(turn.end.report.answer.length).toBe(said.length + (phases - 1) * 2);
    expect(missingAfter(turn)).toBeNull();
  }
});

test('E3: an event of an unknown type takes its seq and changes nothing else', () => {
  const before = foldAll(JOURNALS.answered.slice(0, 4));
  const envelope = {
    ...(JOURNALS.answered[3] as Envelope),
    seq: before.seq + 1,
    event: { type: 'moon_rose' },
  } as unknown as Envelope;
  expect(foldEnvelope(before, envelope)).toEqual({ ...before, seq: before.seq + 1, atMs: envelope.atMs });
});

test('an answered turn shows its items in the order of the journal', () => {
  expect(foldAll(JOURNALS.exhausted).items.map((item) => item.kind)).toEqual([
    'reasoning',
    'text',
    'tool',
    'tool_phase',
    'text',
    'tool',
    'tool_phase',
    'text',
    'tool',
    'blocked',
    'tool_phase',
    'refused',
    'final_phase',
    'text',
  ]);
});

test('A3, A7: a turn waits with the exact call until that call is answered, also after its process died', () => {
  const recording = asking(idsOf('t-1', 's-1', 'p-1'), 'Where?', 0);
  const asked = foldAll(recording.envelopes());
  const digest = 'digest of call-1';
  const of = {
    type: 'call',
    toolCallId: 'call-1',
    name: 'search_files',
    summary: '{"pattern":"Config::|load\\\\(","glob":"src/**/*.rs","max_results":100}',
    by: 'default',
    keeps: '.',
  };
  expect(asked.pending).toEqual({ digest, of });
  const last = recording.envelopes().at(-1) as Envelope;
  const next = (event: Envelope['event']) => foldEnvelope(asked, { ...last, seq: last.seq + 1, event }).pending;
  expect(next({ type: 'answered', digest: 'another', given: YES })).toEqual(asked.pending);
  expect(next({ type: 'answered', digest, given: YES })).toBeNull();
  expect(next({ type: 'interrupted' })).toEqual(asked.pending);
  const ended = foldAll(afterApproval(recording, NO).envelopes());
  expect([ended.pending, ended.end?.kind]).toEqual([null, 'completed']);
});

test('R4: a result goes to its own box and counts as one run', () => {
  const turn = foldAll(JOURNALS.exhausted);
  const tools = turn.items.flatMap((item) =>
    item.kind === 'tool' ? [[item.callId, item.outcome?.status, item.outcome?.summary]] : [],
  );
  expect(tools).toEqual([
    ['call-1', 'ok', '12 entries'],
    ['call-2', 'ok', '32 lines'],
    ['call-3', 'failed', 'not found'],
  ]);
  expect([turn.toolRuns, turn.modelCalls, turn.phase.cycle]).toEqual([3, 5, 3]);
});

const STREAM = journalOf(writing(NEW_GUIDE, guide(300)));
const contentOf = (turn: Turn) => {
  const stage = openWrite(turn)?.stage;
  if (stage?.kind !== 'content') throw new Error('No content is on its way.');
  return stage.content;
};
const CONTENT = STREAM.map(({ event }) => (event.type === 'write_progress' ? event.text : '')).join('');

test('E1: content that comes twice, late or cut otherwise is the same content', () => {
  const short = STREAM.slice(0, 60);
  const text = short.map(({ event }) => (event.type === 'write_progress' ? event.text : '')).join('');
  const delivery = fc.array(
    fc.record({ copies: fc.integer({ min: 1, max: 2 }), late: fc.integer({ min: 0, max: 3 }) }),
    { minLength: 60, maxLength: 60 },
  );
  fc.assert(
    fc.property(delivery, (how) => {
      const sent = short.flatMap((envelope, index) => {
        const { copies, late } = how[index] ?? { copies: 1, late: 0 };
        return Array.from({ length: copies }, (_, copy) => ({ envelope, at: index + late * (copy + 1) }));
      });
      const turn = foldAll(sent.toSorted((a, b) => a.at - b.at).map(({ envelope }) => envelope));
      const content = contentOf(turn);
      expect(content.bytes).toBe(text.length);
      // What is shown is the end of what was sent, whatever was lost before it.
      expect(text.endsWith(shownText(content))).toBe(true);
      const view = { write: 1, tail: text, tailOffset: 0 } as never;
      expect(shownText(contentOf(viewed(turn, view)))).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('the end of the content is kept and no more than 64 KiB of it, with the numbers of its lines', () => {
  const content = contentOf(foldAll(STREAM));
  const shown = shownText(content);
  expect(CONTENT.length).toBeGreaterThan(80_000);
  expect([CONTENT.endsWith(shown), shown.length <= 65_536, shown.length > 50_000]).toEqual([true, true, true]);
  expect([content.bytes, content.lines]).toEqual([CONTENT.length, CONTENT.split('\n').length - 1]);
  for (const { line, text } of [...content.sealed, content.last])
    expect(CONTENT.split('\n')[line - 1]).toBe(text.split('\n')[0]);
});

test('a line without an end is kept within the same bounds and cut between characters', () => {
  const started = foldAll(
    STREAM.slice(
      0,
      STREAM.findIndex(({ event }) => event.type === 'write_progress'),
    ),
  );
  const seq = started.seq;
  const last = STREAM.at(-1) as Envelope;
  let turn = started;
  for (let at = 0; at < 2_000; at++) {
    turn = foldEnvelope(turn, {
      ...last,
      seq,
      event: {
        type: 'write_progress',
        write: 1,
        offset: at * 104,
        text: '🦊'.repeat(26),
        lines: 1,
        bytes: (at + 1) * 104,
      },
    });
  }
  const content = contentOf(turn);
  const whole = `${'🦊'.repeat(60_000)}x`;
  const once = contentOf(
    foldEnvelope(started, {
      ...last,
      seq,
      event: { type: 'write_progress', write: 1, offset: 0, text: whole, lines: 1, bytes: 240_001 },
    }),
  );
  expect([whole.endsWith(shownText(once)), shownText(once).length <= 65_536, shownText(once).codePointAt(0)]).toEqual([
    true,
    true,
    0x1f98a,
  ]);
  expect([...content.sealed, content.last].every(({ text, line }) => /^(🦊)*$/u.test(text) && line === 1)).toBe(true);
  expect(shownText(content).length).toBeLessThanOrEqual(65_536);
});

test('W6, A3: a proposal waits with its digest, and an answer to another one leaves it waiting', () => {
  const journal = journalOf(proposing(EDIT_FOX));
  const asked = foldAll(journal);
  expect(askedWrite(asked)?.path).toBe('src/fox.rs');
  const last = journal.at(-1) as Envelope;
  const next = (turn: Turn, event: Envelope['event']) => foldEnvelope(turn, { ...last, seq: turn.seq + 1, event });
  expect(askedWrite(next(asked, { type: 'answered', digest: 'another', given: YES }))).toEqual(askedWrite(asked));
  // An answer to what was proposed before is none to what is proposed since.
  const proposal = askedWrite(asked)?.stage.proposal;
  if (!proposal) throw new Error('Nothing is asked.');
  const anew = next(asked, { type: 'write_ready', write: 1, proposal: { ...proposal, digest: 'anew' } });
  expect(openWrite(next(anew, { type: 'answered', digest: proposal.digest, given: YES }))?.stage).toMatchObject({
    kind: 'proposed',
    proposal: { digest: 'anew' },
  });
  expect(openWrite(next(asked, { type: 'answered', digest: proposal.digest, given: YES }))?.stage.kind).toBe('saving');
  // W7: a process that died takes nothing of it away.
  expect(askedWrite(next(next(asked, { type: 'interrupted' }), { type: 'resumed' }))).toEqual(askedWrite(asked));
});

test('a write session ends with its outcome, and a turn that is over leaves none open', () => {
  const outcome = (turn: Turn) =>
    writesOf(turn).map(({ stage }) =>
      stage.kind === 'done'
        ? [stage.outcome.status, stage.outcome.rejectedHunks, stage.outcome.error?.code ?? null]
        : stage.kind,
    );
  expect(outcome(foldAll(JOURNALS.written))).toEqual([['written', [2], null]]);
  expect(outcome(foldAll(journalOf(refusedByDisk)))).toEqual([['failed', [], 'write_failed']]);
  const recording = writing(NEW_GUIDE, guide(1))(idsOf('t-1', 's-1', 'p-1'), 'Write.', 0).stopped();
  expect(outcome(foldAll(recording.envelopes()))).toEqual([['discarded', [], null]]);
});

// X2: the meter asks again when this moves, and a chunk costs it nothing.
test('what fills the room moves with counted calls, results and cuts, and never with a chunk', () => {
  const moved: string[] = [];
  let turn = foldAll([]);
  for (const envelope of journalOf(answered)) {
    const next = foldEnvelope(turn, envelope);
    if (next.filledSeq !== turn.filledSeq) moved.push(envelope.event.type);
    turn = next;
  }
  expect(moved).toEqual([
    'turn_started',
    'phase_ended',
    'tool_result',
    'phase_ended',
    'phase_ended',
    'tool_result',
    'phase_ended',
    'phase_ended',
  ]);
});

test('T8: a person reads of steps where a journal says cycles', () => {
  const journal = journalOf(exhausted);
  const said = journal.findIndex(({ event }) => event.type === 'notice');
  expect(journal[said]?.event).toMatchObject({ message: 'Budget used: 3 of 3 cycles.' });
  expect(foldAll(journal.slice(0, said + 1)).items.at(-1)).toMatchObject({
    kind: 'notice',
    message: 'All steps of this turn are used.',
  });
});

test('T8: a person reads of no limit of the model where Orion may have set it', () => {
  const journal = journalOf(exhausted);
  const at = journal.findIndex(({ event }) => event.type === 'notice');
  const notice = journal[at] as Envelope;
  const told = (message: string) => {
    const event = { type: 'notice', code: 'cut_by_length', message } as const;
    return foldAll([...journal.slice(0, at), { ...notice, event }]).items.at(-1);
  };
  const words = (message: string) => ({ kind: 'notice', code: 'cut_by_length', message });
  expect(told("The answer was cut off at the model's output limit.")).toMatchObject(
    words('The answer was cut off: it is as long as an answer may be here.'),
  );
  const longer = 'The answer was cut off: it was longer than 1000 tokens.';
  expect(told(longer)).toMatchObject(words(longer));
});

test('P7: that the model was asked once more stays, and that no answer came is said by the end alone', () => {
  const journal = journalOf(noAnswer);
  const told = (turn: Turn) => turn.items.flatMap((item) => (item.kind === 'notice' ? [item.code] : []));
  expect(told(foldAll(journal.slice(0, -1)))).toEqual(['asked_again', 'empty_answer']);
  expect(told(foldAll(journal))).toEqual(['asked_again']);
  // An end that says something else leaves the notice.
  const last = journal.at(-1) as Envelope;
  if (last.event.type !== 'completed') throw new Error('The turn has no end.');
  const report = { ...last.event.report, stopReason: 'budget_exhausted' as const };
  expect(told(foldAll([...journal.slice(0, -1), { ...last, event: { ...last.event, report } }]))).toEqual([
    'asked_again',
    'empty_answer',
  ]);
});

test('P9: a call keeps how the model made it, and that it stood in its text, also once it ran', () => {
  const callOf = (script: Script) => foldAll(journalOf(script)).items.find((item) => item.kind === 'tool');
  expect(callOf(readAsMeant)).toMatchObject({
    name: 'read_file',
    arguments: { path: 'src/config.rs' },
    made: { name: 'readFile', arguments: { file_path: 'src/config.rs' } },
    leaked: true,
    outcome: { status: 'ok' },
  });
  expect(callOf(leaked)).toMatchObject({ name: 'write_plan_begin', leaked: true, outcome: null });
  const plain = callOf(answered);
  expect(plain && ['made' in plain, 'leaked' in plain]).toEqual([false, false]);
});
