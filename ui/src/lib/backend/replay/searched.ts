// What the core finds: words in all sessions, and a text in one of them.

import type { Answer } from '$lib/generated/Answer';
import type { ByteRange } from '$lib/generated/ByteRange';
import type { FindHit } from '$lib/generated/FindHit';
import type { FindPart } from '$lib/generated/FindPart';
import type { Found } from '$lib/generated/Found';
import type { Query } from '$lib/generated/Query';
import type { Session } from '$lib/generated/Session';
import { utf8Length } from '$lib/model/utf8';
import type { Recording } from './recording';

type Path = (sessionId: string) => readonly Recording[];

/** Turns of one answer, so that a long session takes several. */
const TURNS = 50;

export function searchedIn(
  query: Extract<Query, { type: 'search' | 'find' }>,
  sessions: readonly Session[],
  path: Path,
): Answer {
  if (query.type === 'find') {
    const all = path(query.sessionId);
    const from = query.from === null ? 0 : all.findIndex(({ ids }) => ids.requestId === query.from);
    const hits = all.slice(from, from + TURNS).flatMap((turn) => hitsIn(turn, query.text.toLowerCase()));
    return { type: 'find', page: { hits, next: all[from + TURNS]?.ids.requestId ?? null } };
  }
  const wanted = query.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const texts = sessions.flatMap((session) => [
    { session, recording: null, text: session.title, foundIn: 'title' as const },
    ...path(session.sessionId).flatMap((recording) => said(session, recording)),
  ]);
  const found = texts.filter(
    ({ text }) => wanted.length > 0 && wanted.every((word) => text.toLowerCase().includes(word)),
  );
  const order = (hit: { foundIn: Found['foundIn'] }) => (hit.foundIn === 'title' ? 0 : 1);
  return {
    type: 'search',
    page: {
      found: found
        .toSorted((a, b) => order(a) - order(b))
        .slice(0, query.limit)
        .map((hit) => foundOf(hit, wanted)),
      next: null,
      filling: false,
    },
  };
}

interface Said {
  session: Session;
  recording: Recording | null;
  text: string;
  foundIn: Found['foundIn'];
}

function said(session: Session, recording: Recording): Said[] {
  const answer = partsOf(recording).flatMap(([part, text]) => (part.type === 'text' ? [text] : []));
  return [
    { session, recording, text: answer.join('\n\n'), foundIn: 'answer' },
    { session, recording, text: recording.text, foundIn: 'message' },
  ];
}

function foundOf({ session, recording, text, foundIn }: Said, wanted: readonly string[]): Found {
  const first = Math.max(text.toLowerCase().indexOf(wanted[0] ?? '') - 60, 0);
  const excerpt = `${first > 0 ? '…' : ''}${text.slice(first, first + 200).replaceAll(/\s+/g, ' ')}`;
  const marks: ByteRange[] = wanted
    .flatMap((word) => {
      const at = excerpt.toLowerCase().indexOf(word);
      return at === -1
        ? []
        : [{ from: utf8Length(excerpt.slice(0, at)), to: utf8Length(excerpt.slice(0, at + word.length)) }];
    })
    .toSorted((a, b) => a.from - b.from);
  return {
    session,
    requestId: recording?.ids.requestId ?? null,
    foundIn,
    atMs: session.updatedAtMs,
    onPath: true,
    text: excerpt,
    marks,
  };
}

function hitsIn(recording: Recording, wanted: string): FindHit[] {
  return partsOf(recording).flatMap(([part, text]) => {
    const times = wanted === '' ? 0 : text.toLowerCase().split(wanted).length - 1;
    return times > 0 ? [{ requestId: recording.ids.requestId, part, times }] : [];
  });
}

/** The texts of a turn in the order in which they are shown. */
function partsOf(recording: Recording): [FindPart, string][] {
  const parts: [FindPart, string][] = [[{ type: 'message' }, recording.text]];
  let goesOn: Partial<Record<'text' | 'reasoning', number>> = {};
  for (const { seq, event } of recording.envelopes()) {
    if (event.type === 'text_chunk' || event.type === 'reasoning_chunk') {
      const type = event.type === 'text_chunk' ? 'text' : 'reasoning';
      const part = parts[goesOn[type] ?? -1];
      if (part) part[1] += event.text;
      else goesOn = { ...goesOn, [type]: parts.push([{ type, seq }, event.text]) - 1 };
    } else if (event.type === 'steered') parts.push([{ type: 'steered', seq }, event.text]);
    else if (event.type === 'phase_started') goesOn = {};
    else if (event.type === 'tool_call') {
      const call = recording.calls.find(({ toolCallId }) => toolCallId === event.toolCallId);
      parts.push([
        { type: 'tool', toolCallId: event.toolCallId },
        `${Object.values(event.arguments as object).join('\n')}\n${call?.result ?? ''}`,
      ]);
      goesOn = {};
    }
  }
  return parts;
}
