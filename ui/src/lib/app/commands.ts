// Everything the palette can do or go to, made from the window's state; what cannot act now is left out. The commands that a message begins with are
// made here, too. Not here: which of these the list shows while one is typed (model/slash.ts).

import { plain } from '$lib/model/plain';
import type { SlashCommand } from '$lib/model/slash';
import type { Turn } from '$lib/model/turn';
import { writesOf } from '$lib/model/write';
import { words } from '$lib/words';
import { TEXT_SIZES } from './kept';
import { DEMO } from './options';
import { primaryButton } from './primary.svelte';
import { type PanelTab, preferences, type Theme } from './preferences.svelte';
import { SHORTCUTS } from './shortcuts';
import { zoomBy, zoomTo } from './zoom';
import type { OrionWindow } from './window.svelte';

export interface Command {
  id: string;
  label: string;
  hint: string;
  keys?: string;
  run: () => void;
}

export function commandsOf(orion: OrionWindow): Command[] {
  return [...actions(orion), ...places(orion)];
}

const say = words.commands;
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function actions(orion: OrionWindow): Command[] {
  const { projectId } = orion;
  const { ofEverything, textSize, textSizes } = words.shortcuts;
  return [
    ...(orion.running
      ? [{ id: 'stop', label: say.stop, hint: '', keys: SHORTCUTS.stop.keys, run: () => void orion.stop() }]
      : []),
    ...(orion.continues
      ? [
          {
            id: 'continue',
            label: say.continue,
            hint: say.continueHint,
            keys: SHORTCUTS.continue.keys,
            run: () => orion.continueFresh(),
          },
        ]
      : []),
    ...reviewing(orion),
    ...(projectId !== null
      ? [{ id: 'new', label: say.newChat, hint: '', keys: SHORTCUTS.newChat.keys, run: () => orion.newChat(projectId) }]
      : []),
    ...(compactable(orion)
      ? [{ id: 'compact', label: say.compact, hint: say.compactHint, run: () => void orion.compaction.begin() }]
      : []),
    { id: 'folder', label: say.folder, hint: '', keys: SHORTCUTS.folder.keys, run: () => void orion.openProject() },
    ...(orion.sessionId !== null
      ? [
          {
            id: 'export',
            label: say.exporting,
            hint: say.exportingHint,
            run: () =>
              orion.sessionId &&
              (orion.overlay = { kind: 'export', of: { type: 'session', sessionId: orion.sessionId } }),
          },
        ]
      : []),
    { id: 'figures', label: say.figures, hint: say.figuresHint, run: () => orion.figures.show() },
    { id: 'import', label: say.importing, hint: say.importingHint, run: () => void orion.exporting.open() },
    {
      id: 'settings',
      label: say.settings,
      hint: '',
      keys: SHORTCUTS.settings.keys,
      run: () => (orion.overlay = { kind: 'settings' }),
    },
    { id: 'connect', label: say.connect, hint: '', run: () => (orion.overlay = { kind: 'connect' }) },
    { id: 'computer', label: say.computer, hint: say.computerHint, run: () => orion.computer.show() },
    { id: 'tour', label: say.tour, hint: say.tourHint, run: () => void orion.tour.start() },
    {
      id: 'sidebar',
      label: SHORTCUTS.sidebar.label,
      hint: '',
      keys: SHORTCUTS.sidebar.keys,
      run: () => orion.sides.toggle('sidebar'),
    },
    {
      id: 'panel',
      label: SHORTCUTS.panel.label,
      hint: '',
      keys: SHORTCUTS.panel.keys,
      run: () => orion.sides.toggle('panel'),
    },
    {
      id: 'shortcuts',
      label: SHORTCUTS.help.label,
      hint: '',
      keys: SHORTCUTS.help.keys,
      run: () => (orion.overlay = { kind: 'shortcuts' }),
    },
    {
      id: 'zoom-in',
      label: SHORTCUTS.zoomIn.label,
      hint: ofEverything,
      keys: SHORTCUTS.zoomIn.keys,
      run: () => zoomBy(1),
    },
    {
      id: 'zoom-out',
      label: SHORTCUTS.zoomOut.label,
      hint: ofEverything,
      keys: SHORTCUTS.zoomOut.keys,
      run: () => zoomBy(-1),
    },
    {
      id: 'zoom-reset',
      label: SHORTCUTS.zoomReset.label,
      hint: ofEverything,
      keys: SHORTCUTS.zoomReset.keys,
      run: () => zoomTo(1),
    },
    ...TEXT_SIZES.map((size) => ({
      id: `text-${size}`,
      label: textSizes[size],
      hint: textSize,
      run: () => (preferences.textSize = size),
    })),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      label: say.themes[theme],
      hint: say.theme,
      run: () => (preferences.theme = theme),
    })),
  ];
}

/** What a message that begins with `/` can ask for. What cannot act now is left out. Prompts of the person come after Orion's own. */
export function slashOf(orion: OrionWindow): SlashCommand[] {
  const say = words.slash;
  const { latest, projectId, running, sessionId, settings } = orion;
  const endpoint = orion.options.endpoint ?? settings?.defaultEndpoint ?? null;
  const when = (
    can: boolean,
    name: string,
    hint: string,
    run: () => unknown,
    more: Partial<SlashCommand> = {},
  ): SlashCommand[] => (can ? [{ name, hint, run: () => void run(), ...more }] : []);
  const own = [
    ...when(projectId !== null && sessionId !== null, 'new', say.newChat, () => projectId && orion.newChat(projectId)),
    ...when(orion.mode !== 'plan', 'plan', say.plan, () => (orion.options = { ...orion.options, mode: 'plan' })),
    ...when(orion.mode !== 'act', 'act', say.act, () => (orion.options = { ...orion.options, mode: 'act' })),
    ...modelCommand(orion, endpoint),
    ...when(compactable(orion), 'compact', say.compact, () => orion.compaction.begin()),
    ...when(orion.continues, 'continue', say.continueFresh, () => orion.continueFresh()),
    ...when(running !== null, 'stop', say.stop, () => orion.stop()),
    ...when(
      running === null && latest !== null && !orion.readOnly && undoable(latest),
      'undo',
      say.undo,
      () => latest && orion.review.undo(latest.requestId, null),
    ),
    ...when(latest !== null, 'changes', say.changes, () => showTab(orion, 'changes')),
    ...when(latest !== null, 'trace', say.trace, () => latest && orion.showTrace(latest.requestId)),
    ...when(
      sessionId !== null,
      'export',
      say.exporting,
      () => sessionId && (orion.overlay = { kind: 'export', of: { type: 'session', sessionId } }),
    ),
    ...when(true, 'find', say.find, () => (orion.overlay = { kind: 'palette' })),
    ...when(true, 'folder', say.folder, () => orion.openProject()),
    ...when(true, 'connect', say.connect, () => (orion.overlay = { kind: 'connect' })),
    ...when(true, 'settings', say.settings, () => (orion.overlay = { kind: 'settings' })),
    ...when(true, 'doctor', say.doctor, () => orion.computer.show()),
    ...when(true, 'help', say.help, () => (orion.overlay = { kind: 'shortcuts' })),
  ];
  const taken = new Set(own.map(({ name }) => name));
  const prompts = orion.composing.prompts.filter(({ name }) => !taken.has(name));
  return [
    ...own,
    ...prompts.map(({ name, description, takesArguments }): SlashCommand => ({
      name,
      hint: description,
      argument: takesArguments ? say.text : undefined,
      run: (args) => orion.composing.expanded(name, args),
    })),
  ];
}

/** The demo has one model alone. */
function modelCommand(orion: OrionWindow, endpoint: string | null): SlashCommand[] {
  if (endpoint === null || endpoint === DEMO) return [];
  return [
    {
      name: 'model',
      hint: words.slash.chooseModel,
      argument: words.slash.model,
      needed: true,
      values: orion.composing.models,
      run: (model) => void (orion.options = { ...orion.options, model }),
    },
  ];
}

/** The turn has a file that it wrote and that is still as it wrote it. */
const undoable = (turn: Turn): boolean =>
  writesOf(turn).some(({ stage }) => stage.kind === 'done' && stage.undone.kind === 'possible');

function showTab(orion: OrionWindow, tab: PanelTab): void {
  preferences.tab = tab;
  if (!orion.sides.shows('panel')) orion.sides.toggle('panel');
}

const compactable = (orion: OrionWindow): boolean => orion.latest !== null && orion.running === null && !orion.readOnly;

/** What can be done about a write that waits, or to see one. */
function reviewing({ review }: OrionWindow): Command[] {
  const { shown, asked, asks } = review;
  const name = (asked ?? shown?.item)?.path ?? '';
  const command = (id: string, shortcut: { keys: string; label: string }, run: () => void): Command => ({
    id,
    label: shortcut.label,
    hint: name,
    keys: shortcut.keys,
    run,
  });
  return [
    ...(shown ? [command('review', SHORTCUTS.review, () => review.show(asked ?? review.chosen, true))] : []),
    ...(review.approval !== null && review.drawn && review.plain
      ? [command('approve', { ...SHORTCUTS.primary, label: review.approval }, () => primaryButton()?.click())]
      : []),
    ...(asked ? [{ id: 'reject', label: say.reject, hint: name, run: () => void review.reject() }] : []),
    ...(asks && review.visible
      ? [
          command('next-change', SHORTCUTS.next, () => review.go(1)),
          command('previous-change', SHORTCUTS.previous, () => review.go(-1)),
          command('accept-change', SHORTCUTS.accept, () => review.decideCurrent(true)),
          command('reject-change', SHORTCUTS.rejectChange, () => review.decideCurrent(false)),
        ]
      : []),
  ];
}

function places(orion: OrionWindow): Command[] {
  const { projects } = orion.model;
  const sessions = orion.model.sessions.filter(({ archived }) => !archived);
  const nameOf = (projectId: string) => projects.find((project) => project.projectId === projectId)?.name ?? '';
  return [
    ...sessions
      .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs)
      .map((session) => ({
        id: session.sessionId,
        label: plain(session.title) || say.newChat,
        hint: nameOf(session.projectId),
        run: () => void orion.openSession(session.sessionId),
      })),
    ...projects.map((project) => ({
      id: project.projectId,
      label: plain(project.name),
      hint: say.project,
      run: () => orion.newChat(project.projectId),
    })),
  ];
}
