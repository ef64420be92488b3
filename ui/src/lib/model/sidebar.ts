// What the sidebar lists, in its order: projects, and in each its sessions by day. Pure: the clock is handed in.

import type { Project } from '$lib/generated/Project';
import type { Session } from '$lib/generated/Session';
import { words } from '$lib/words';
import { newestFirst } from './app';
import { type Chat, newestOf } from './chat';
import { changeSpoken, changeWords } from './diff/words';
import { plain } from './plain';
import { isRunning, type Status, statusOf, waitsForPerson } from './status';

const say = words.sidebar;

/** Sessions under one heading. */
export interface Shelf {
  label: string;
  sessions: readonly Session[];
}

export interface Section {
  project: Project;
  shelves: readonly Shelf[];
  /** The newest first. */
  archived: readonly Session[];
  /** It has older sessions than are known. */
  older: boolean;
}

/** Where the latest turn of a session is. */
export interface Standing {
  /** While it runs. */
  status: Pick<Status, 'tone' | 'words'> | null;
  waits: boolean;
}

/** Something that the arrows stop at. */
export type Stop =
  | { key: string; kind: 'project'; name: string; section: Section; open: boolean }
  | { key: string; kind: 'session'; name: string; session: Session }
  | { key: string; kind: 'older'; name: string; projectId: string }
  | { key: string; kind: 'archive'; name: string; projectId: string; open: boolean };

export const keyOf = (kind: Stop['kind'], id: string) => `${kind} ${id}`;

export const titleOf = (session: Session) => plain(session.title) || say.untitled;

const DAY_MS = 86_400_000;
/** Days that have a heading of their own; what is older stands under its month. */
const DAYS = 7;
const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'short' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long' });
const MONTH_OF_YEAR = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Whole days of the calendar between two moments: a day of a change of the clock has 23 or 25 hours. */
function daysBetween(atMs: number, nowMs: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(nowMs) - midnight(atMs)) / DAY_MS);
}

export function dayOf(atMs: number, nowMs: number): string {
  const days = daysBetween(atMs, nowMs);
  if (days <= 0) return say.today;
  if (days === 1) return say.yesterday;
  if (days < DAYS) return WEEKDAY.format(atMs);
  return (new Date(atMs).getFullYear() === new Date(nowMs).getFullYear() ? MONTH : MONTH_OF_YEAR).format(atMs);
}

/** The time of day where the heading names the day, else the date. */
export function timeOf(atMs: number, nowMs: number): string {
  return (daysBetween(atMs, nowMs) < DAYS ? TIME : DATE).format(atMs);
}

/** The end of the latest turn. That it wrote needs no word where lines say so. */
export function happenedWords({ happened, lines }: Pick<Session, 'happened' | 'lines'>): string {
  if (happened === null) return '';
  if (happened.type !== 'wrote') return say.happened[happened.type];
  return lines ? '' : say.wrote(happened.files);
}

/** The lines that a session wrote, as they are seen and as they are read out; null where it wrote none. */
export function linesOf({ lines }: Pick<Session, 'lines'>): { seen: string; spoken: string } | null {
  return lines ? { seen: changeWords(lines), spoken: changeSpoken(lines) } : null;
}

/** All words of a filter are in the title, or in the name of its project. */
function matches(text: string, filter: string): boolean {
  const searched = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}

/** Projects, the last opened first. With a filter, those in which something matches. */
export function sectionsOf(
  projects: readonly Project[],
  sessions: readonly Session[],
  older: Readonly<Record<string, unknown>>,
  filter: string,
  nowMs: number,
): Section[] {
  const wanted = filter.trim();
  const sections = projects
    .toSorted((a, b) => b.openedAtMs - a.openedAtMs)
    .map((project): Section => {
      const own = sessions.filter(({ projectId }) => projectId === project.projectId).toSorted(newestFirst);
      const shown = own.filter((session) => matches(`${project.name} ${titleOf(session)}`, wanted));
      return { project, ...shelved(shown, nowMs), older: project.projectId in older };
    });
  return wanted === ''
    ? sections
    : sections.filter(
        ({ shelves, archived, project }) => shelves.length + archived.length > 0 || matches(project.name, wanted),
      );
}

function shelved(sessions: readonly Session[], nowMs: number): Pick<Section, 'shelves' | 'archived'> {
  const archived = sessions.filter((session) => session.archived);
  const pinned = sessions.filter((session) => session.pinned && !session.archived);
  const days = new Map<string, Session[]>();
  for (const session of sessions.filter((one) => !one.pinned && !one.archived)) {
    const day = dayOf(session.updatedAtMs, nowMs);
    days.set(day, [...(days.get(day) ?? []), session]);
  }
  const byDay = [...days].map(([label, of]) => ({ label, sessions: of }));
  return { archived, shelves: pinned.length > 0 ? [{ label: say.pinned, sessions: pinned }, ...byDay] : byDay };
}

/** What can be seen of the sections, from the top: the way of the arrows. */
export function stopsOf(sections: readonly Section[], isOpen: (key: string) => boolean): Stop[] {
  return sections.flatMap((section): Stop[] => {
    const {
      project: { projectId, name },
      shelves,
      archived,
      older,
    } = section;
    const key = keyOf('project', projectId);
    const head: Stop = { key, kind: 'project', name, section, open: isOpen(key) };
    if (!isOpen(key)) return [head];
    const ofSession = (session: Session): Stop => ({
      key: keyOf('session', session.sessionId),
      kind: 'session',
      name: titleOf(session),
      session,
    });
    const more: Stop[] = older ? [{ key: keyOf('older', projectId), kind: 'older', name: say.older, projectId }] : [];
    const archive = keyOf('archive', projectId);
    const away: Stop[] =
      archived.length === 0
        ? []
        : [
            { key: archive, kind: 'archive', name: say.archived(archived.length), projectId, open: isOpen(archive) },
            ...(isOpen(archive) ? archived.map(ofSession) : []),
          ];
    return [head, ...shelves.flatMap(({ sessions }) => sessions.map(ofSession)), ...more, ...away];
  });
}

/** Where sessions are whose turns are in memory. It is `before` itself while nothing of it changes, however fast a text streams. */
export function standingsOf(
  chats: Readonly<Record<string, Chat>>,
  before: ReadonlyMap<string, Standing>,
): ReadonlyMap<string, Standing> {
  const now = new Map<string, Standing>();
  for (const [sessionId, chat] of Object.entries(chats)) {
    const latest = newestOf(chat);
    if (latest)
      now.set(sessionId, { status: isRunning(latest) ? statusOf(latest) : null, waits: waitsForPerson(latest) });
  }
  const same =
    now.size === before.size &&
    [...now].every(([sessionId, standing]) => sameStanding(standing, before.get(sessionId)));
  return same ? before : now;
}

function sameStanding(one: Standing, other: Standing | undefined): boolean {
  return (
    other !== undefined &&
    one.waits === other.waits &&
    one.status?.tone === other.status?.tone &&
    one.status?.words === other.status?.words
  );
}
