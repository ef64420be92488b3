// A window into which strangers have written everywhere: each text of `hostileTexts`, in each place that shows a text of somebody else.

import type { Answer } from '$lib/generated/Answer';
import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { PictureKind } from '$lib/generated/PictureKind';
import type { Query } from '$lib/generated/Query';
import type { Settings } from '$lib/generated/Settings';
import type { TurnState } from '$lib/generated/TurnState';
import { KEPT, TOOLS } from './approvals';
import { HOSTILE } from './computers';
import type { Draft } from './desk';
import { figuresOf } from './figured';
import { error, FOXES, NOON, session, settings } from './fixtures';
import { HOSTILE_TEXTS as TEXTS } from './hostileTexts';
import { pictureOf } from './pictures';
import { Recording } from './recording';
import type { Scene } from './scene';
import { answered, QUESTION, record, type Script } from './scripts';
import { spoken } from './spoken';
import { proposing } from './writeScripts';

const ID = 's-loader';
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const fault = (text: string) => error('config_invalid', text, text, { detail: text });

/** A text in each place that an answer has, each in a block of its own. */
const inAnswer = (text: string, index: number) => {
  const line = oneLine(text);
  const cell = line.replaceAll('|', '\\|');
  return [
    `Text ${index}: ${line}`,
    `#### ${line}`,
    `> ${line}`,
    `**${line}** *${line}* ~~${line}~~ \`${line}\``,
    `[${line}](https://example.org/${index}) and [link ${index}](<${line}>) and <${line}>`,
    `https://example.org/${line}`,
    `| ${cell} | [link](<${cell}>) |\n| --- | --- |\n| \`${cell}\` | $${cell}$ |`,
    `- [x] ${line}\n- [ ] [link](<${line}>)`,
    `$${line}$ and \\(\\text{${line}}\\)`,
    `$$\n${line}\n$$`,
    `![${line}](<${line}>) ![${line}](docs/den.png) [![x](<${line}>)](<${line}>)`,
    `~~~${line.replaceAll('~', '')}\n${text}\n~~~`,
    `Note ${index}[^n${index}] and [^${line}]`,
    `[^n${index}]: ${line} [link](<${line}>) ![x](<${line}>)`,
  ].join('\n\n');
};

const says: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .say(TEXTS.map(inAnswer).join('\n\n'), 100_000, 0)
    .end('answered', 'stop')
    .completed();

const diagram = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

/** A text where a diagram has one; the first diagram is a plain one. */
const draws: Script = (ids, text, startMs) => {
  const sources = TEXTS.flatMap((text) => [
    `flowchart LR\n  a["${oneLine(text)}"] --> b\n  click a href "${oneLine(text)}" "${oneLine(text)}"`,
    `sequenceDiagram\n  A->>B: ${oneLine(text)}`,
  ]);
  return new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .say(['flowchart LR\n  the --> first', ...sources].map(diagram).join('\n\n'), 100_000, 0)
    .end('answered', 'stop')
    .completed();
};

/** Files that came with the message, calls, results, reasons and errors. */
const works: Script = (ids, text, startMs) => {
  const recording = new Recording(ids, text, startMs).wait(1);
  const files = TEXTS.map((path, index): AttachedFile => {
    recording.calls.push({
      toolCallId: `file_${index}`,
      name: 'read_file',
      arguments: { path },
      permission: 'allow',
      result: path,
    });
    const failed = index % 5 === 4;
    return {
      toolCallId: `file_${index}`,
      path,
      isFolder: index % 7 === 6,
      status: failed ? 'failed' : 'ok',
      summary: path,
      bytes: path.length,
      truncated: false,
      sha256: 'a digest',
      error: failed ? error('path_not_found', path, path) : null,
    };
  });
  recording.event({ type: 'attached', files });
  for (const [index, text] of TEXTS.entries()) {
    recording.action().wait(1).think(text, 10_000, 0).say(`${text}\n\n`, 10_000, 0);
    if (index % 8 === 0) recording.retrying(1, error('overloaded', text, text, { detail: text })).wait(1);
    recording
      .call(
        `call-${index}`,
        index % 2 === 0 ? 'read_file' : text,
        { path: text, [text]: text },
        { made: { name: text, arguments: { [text]: text } }, leaked: true },
      )
      .end('tool_call', text);
    const failed = index % 3 === 0;
    recording
      .tools()
      .result(
        text,
        text,
        1,
        failed ? 'failed' : 'ok',
        failed ? error('tool_failed', text, text, { detail: text }) : null,
      )
      .end('tools_done');
    recording.notice('other', text);
  }
  return recording
    .action()
    .wait(1)
    .say('That was all.')
    .end('failed')
    .failed(fault(TEXTS[0] ?? ''));
};

const asks: Script = (ids, text, startMs) => {
  const questions = TEXTS.map((question, index) => ({
    id: `q${index}`,
    question,
    kind: index % 2 === 0 ? ('choice' as const) : ('several' as const),
    options: [question, `${question} `],
  }));
  return new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .say('I have to know.')
    .call('call-1', 'ask_user', { questions })
    .end('tool_call', 'tool_calls')
    .tools()
    .event({
      type: 'asked',
      digest: 'digest of questions',
      of: { type: 'questions', toolCallId: 'call-1', questions },
    });
};

const wants: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .call('call-1', 'search_files', Object.fromEntries(TEXTS.map((text) => [text, text])))
    .end('tool_call', 'tool_calls')
    .tools()
    .ask({ by: 'default', keeps: TEXTS[3] ?? '' });

const commands: Script = (ids, text, startMs) => {
  const command = TEXTS.join('\n');
  return new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .call('call-1', 'run_command', { command })
    .end('tool_call', 'tool_calls')
    .tools()
    .ask({
      by: 'default',
      keeps: '**',
      command: {
        line: command,
        folder: TEXTS[0] ?? '',
        reason: TEXTS.join(' '),
        seconds: 120,
        level: 'none',
        gaps: TEXTS.map((gap) => ({ gap, mends: [gap] })),
        reads: [...TEXTS],
        asksSince: TEXTS[1] ?? '',
      },
    });
};

/** Its output is hostile while it runs, and once it has ended. */
const commandRan: Script = (ids, text, startMs) => {
  const [line, output] = [oneLine(TEXTS[0] ?? ''), TEXTS.join('\n')];
  const recording = new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .call('call-1', 'run_command', { command: line })
    .end('tool_call', 'tool_calls')
    .tools()
    .output(output);
  recording.outputs.set('call-1', { start: output, leftOut: 9, end: output });
  return recording
    .result(line, output, 5, 'failed', null, {
      line,
      folder: TEXTS[2] ?? '',
      level: 'full',
      ended: { type: 'exited', code: 1 },
      durationMs: 5,
      bytes: 9,
      sha256: 'c'.repeat(64),
      keptBytes: 9,
      leftRunning: [...TEXTS],
      network: {
        hosts: TEXTS.map((host) => ({ host, connections: 1, bytesIn: 1, bytesOut: 1, failed: host })),
        refused: [...TEXTS],
        offered: [...TEXTS],
      },
    })
    .end('tools_done')
    .action()
    .wait(1)
    .say('That was all.')
    .end('answered', 'stop')
    .completed();
};

const DRAFT: Draft = {
  path: oneLine(TEXTS[3] ?? ''),
  operation: 'overwrite',
  intent: oneLine(TEXTS[4] ?? ''),
  old: TEXTS.map((text) => `${oneLine(text)} was`).join('\n'),
  text: TEXTS.map(oneLine).join('\n'),
  alwaysAsks: TEXTS[5] ?? '',
  faults: TEXTS.map((text, index) => ({ kind: 'markup', line: index + 1, column: 1, what: text, context: text })),
  removals: [{ kind: 'preamble', line: 1, text: TEXTS[0] ?? '' }],
};

function hostileSettings(): Settings {
  const known = settings('connected');
  const endpoints = known.endpoints.flatMap((endpoint) =>
    endpoint.name === 'deepseek'
      ? TEXTS.map((text) => ({
          ...endpoint,
          name: text,
          baseUrl: text,
          model: text,
          key: { kind: 'environment' as const, name: text },
          acceptedFinishReasons: [text],
        }))
      : [],
  );
  return {
    ...known,
    endpoints: [...known.endpoints, ...endpoints],
    presets: TEXTS.map((text) => ({
      name: text,
      label: text,
      baseUrl: text,
      keyVariable: text,
      model: text,
      local: false,
    })),
    tools: [
      {
        tool: 'search_files',
        permission: null,
        timeoutMs: null,
        maxPerTurn: 4,
        rules: TEXTS.map((pattern) => ({ pattern, permission: 'deny' as const })),
      },
    ],
    configFile: TEXTS[3] ?? '',
    dataDir: TEXTS[4] ?? '',
    problems: [],
  };
}

const named = (filter: string) =>
  TEXTS.filter((text) => text.includes(filter)).map((path) => ({ path, directory: false, bytes: 12 }));

/** Every path is one of a file that there is. */
function answers(query: Query): Answer | null {
  switch (query.type) {
    case 'prompts':
      return {
        type: 'prompts',
        prompts: TEXTS.map((text) => ({ name: text, description: text, takesArguments: false })),
        problems: [...TEXTS],
      };
    case 'prompt':
      return { type: 'prompt', text: query.name };
    case 'find_files':
      return { type: 'find_files', files: named(query.filter).slice(0, query.limit), more: false, partial: false };
    case 'files':
      return {
        type: 'files',
        files: named(query.filter),
        truncated: false,
        watch: { state: 'off', reason: TEXTS[3] ?? '' },
      };
    case 'mentions':
      return {
        type: 'mentions',
        files: TEXTS.map((path, index) => ({
          path,
          lines: null,
          directory: false,
          bytes: 12,
          error: index % 2 === 0 ? error('path_outside', path, path) : null,
        })),
      };
    case 'file_lines':
      return {
        type: 'file_lines',
        file: { path: query.path, bytes: 12, total: TEXTS.length, lines: TEXTS.map(oneLine) },
      };
    case 'paths':
      return { type: 'paths', files: query.paths };
    case 'picture':
      // A kind and data that would do something if they were taken as they are.
      return {
        type: 'picture',
        picture:
          query.path === 'docs/den.png'
            ? pictureOf(query.path)
            : {
                ...pictureOf('docs/den.png'),
                path: query.path,
                kind: 'text/html' as PictureKind,
                data: `"><img src=x onerror=window.__ran=1>`,
              },
      };
    case 'suggestions':
      return {
        type: 'suggestions',
        suggestions: TEXTS.map((text) => ({ text })),
        found: { files: 3, more: true, agents: TEXTS[0] ?? null, git: true },
      };
    case 'messages':
      return { type: 'messages', messages: [...TEXTS] };
    case 'spoken':
      return { type: 'spoken', spoken: spoken(query.endpoint, TEXTS[0] ?? '') };
    case 'models':
      return {
        type: 'models',
        models: TEXTS.map((id) => ({ id, ownedBy: id, contextLength: null, loaded: null, tools: null, vision: null })),
      };
    case 'tools':
      return { type: 'tools', tools: TEXTS.map((text) => ({ ...TOOLS[0]!, name: text, description: text })) };
    case 'approvals':
      return {
        type: 'approvals',
        approvals: TEXTS.map((text, index) => ({
          ...KEPT[index % 2]!,
          approvalId: `k-${index}`,
          tool: text,
          pattern: text,
          path: text,
          sessionTitle: index % 2 === 0 ? null : text,
        })),
      };
    case 'instructions':
      return {
        type: 'instructions',
        instructions: {
          agents: TEXTS.join('\n'),
          agentsBytes: 8_192,
          everywhere: TEXTS.join('\n'),
          here: TEXTS.join('\n'),
          ownBytes: 99_999,
        },
      };
    case 'search': {
      const from = Number(query.text.replace(/\D/g, '') || 0);
      const found = TEXTS.slice(from).map((text, index) => ({
        session: session(`s-t${from + index}`, FOXES.projectId, text, 1),
        requestId: null,
        foundIn: index % 2 === 0 ? ('answer' as const) : ('message' as const),
        atMs: NOON,
        onPath: index % 3 > 0,
        text,
        marks: [{ from: 0, to: 4 }],
      }));
      return { type: 'search', page: { found, next: null, filling: false } };
    }
    default:
      return null;
  }
}

/** A turn as others are, and one of this script. */
function scene(script: Script, state: TurnState = 'over', first = answered): Scene {
  const turns = [
    { recording: record(first, 't-1', ID, FOXES.projectId), state: 'over' as const },
    { recording: record(script, 't-2', ID, FOXES.projectId, TEXTS.join('\n')), state },
  ];
  return {
    state: {
      version: '0.2.0',
      projects: [
        FOXES,
        ...TEXTS.map((text, index) => ({
          ...FOXES,
          projectId: `p-${index}`,
          name: text,
          path: text,
          openedAtMs: NOON - 1 - index,
          available: index % 2 === 1,
        })),
      ],
      sessions: [
        session(ID, FOXES.projectId, QUESTION, 0),
        ...TEXTS.map((title, index) => session(`s-t${index}`, FOXES.projectId, title, 1 + index)),
      ],
      apart: [],
      older: [],
      settings: hostileSettings(),
      running: [],
    },
    turns,
    script: answered,
    answers,
    computer: HOSTILE,
    projectFile: {
      mode: 'plan',
      tools: TEXTS.map((tool) => ({
        tool,
        permission: 'ask',
        timeoutMs: null,
        maxPerTurn: null,
        rules: [{ pattern: tool, permission: 'deny' }],
      })),
    },
    figures: (of) => {
      const figures = figuresOf(of, 500, NOON, {
        sessionId: ID,
        projectId: FOXES.projectId,
        requestIds: ['t-2', 't-1'],
      });
      const told = figures.turns.map((turn, index) => ({
        ...turn,
        text: TEXTS[index % TEXTS.length] ?? '',
        model: TEXTS[(index + 1) % TEXTS.length] ?? '',
      }));
      return {
        ...figures,
        turns: told,
        totals: figures.totals.map((row, index) => ({ ...row, model: TEXTS[index] ?? '' })),
        slowest: figures.slowest.map((call, index) => ({ ...call, name: TEXTS[index] ?? '' })),
      };
    },
  };
}

/** By the part of the window that they are for. */
export const HOSTILE_SCENES: Record<string, () => Scene> = {
  everywhere: () => scene(answered),
  'everywhere-said': () => scene(says),
  'everywhere-drawn': () => scene(draws),
  'everywhere-done': () => scene(works),
  'everywhere-compared': () => scene(works, 'over', works),
  'everywhere-asked': () => scene(asks, 'running'),
  'everywhere-allowed': () => scene(wants, 'running'),
  'everywhere-command': () => scene(commands, 'running'),
  'everywhere-ran': () => scene(commandRan),
  'everywhere-written': () => scene(proposing(DRAFT, 0), 'running'),
  'everywhere-set': () => {
    const { state, projectFile, ...rest } = scene(answered);
    return {
      ...rest,
      state: { ...state, settings: { ...state.settings, problems: TEXTS.map(fault) } },
      projectFile: { ...projectFile, problems: TEXTS.map(fault) },
    };
  },
};
