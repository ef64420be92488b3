// Diagrams of Mermaid as pictures (0049). The library never runs in the window: a frame without an origin draws, one diagram after the other, and says
// what came of it in SVG. The window shows that as a picture, in which no program runs and from which nothing is asked for. What is too large is not drawn
// at all, since the frame may share the window's thread. The frame goes when it has had nothing to do for a while.

import library from 'mermaid/dist/mermaid.min.js?url&no-inline';
import program from './diagramFrame.js?url&no-inline';

/** Characters of a source that is drawn, and of a line of it: long labels are broken into lines word by word. */
const LONGEST = 4_000;
const LONGEST_LINE = 200;
/**
 * The kinds of diagrams that are drawn, with the most lines of each: the library places what is in some of them with more work than in others. With these
 * bounds none of those that were tried to be as dear as can be took half a second. Of other kinds a line alone can keep the library busy for minutes.
 */
const KINDS = new Map([
  ['flowchart', 100],
  ['graph', 100],
  ['classDiagram', 100],
  ['stateDiagram', 100],
  ['erDiagram', 100],
  ['mindmap', 40],
  ['timeline', 100],
  ['journey', 100],
  ['sequenceDiagram', 150],
  ['gantt', 150],
  ['gitGraph', 150],
  ['pie', 150],
  ['quadrantChart', 150],
  ['xychart', 150],
]);
/** Lines between two parts; the messages of a sequence are none. */
const MOST_EDGES = 60;
const EDGE = /--|==|\.\.|->/g;
/** Directives and remarks before a diagram. */
const REMARKS = /^\s*(?:%%\{[^]*?\}%%\s*|%%[^\n]*\n\s*)*/;
/** Settings before it, between two lines of `---`: keys with plain values, of which none can stand for another. */
const SETTINGS = /^\s*---\s*\n(?:\s*\w+:[^\n&*{}[\]|>!]*\n)*---\s*\n/;
/** They have days or ticks counted one by one, however many there are. */
const COUNTS = /^\s*(?:excludes|tickInterval)\b/m;
/** Brackets in brackets, and blocks in blocks by their indentation. */
const DEEPEST = 20;
/** Characters of a drawing. */
const LARGEST = 1_000_000;
/** Pixels of a side of it. */
const WIDEST = 8_000;
/** Milliseconds that a diagram may take. */
const PATIENCE_MS = 8_000;
/** Milliseconds in which the frame has to begin: it reads a large library, also on a machine that does other things. */
const BEGIN_MS = 40_000;
/** Milliseconds after which a frame without work goes. */
const IDLE_MS = 20_000;
/** Drawings that are kept. */
const KEPT = 40;

export interface Diagram {
  /** An address that asks for nothing. */
  address: string;
  width: number;
  height: number;
}

interface Frame {
  element: HTMLIFrameElement;
  ready: Promise<boolean>;
}

const drawn = new Map<string, Diagram | null>();
let frame: Frame | null = null;
let queue: Promise<unknown> = Promise.resolve();
let idle: ReturnType<typeof setTimeout> | undefined;
let ids = 0;

/** A tag that could do something, and a picture from elsewhere: the frame's policy stops them, and they need not get so far. */
const ACTS = /<[a-z][^<>]*[=/:][^<>]*>|\bimg\s*:/i;

/** True for a source that is never drawn, found out without the library. */
export function tooMuch(source: string): boolean {
  if (source.length > LONGEST || ACTS.test(source.replace(/<br\s*\/?>/gi, ''))) return true;
  const lines = source.split('\n');
  const diagram = source.replace(SETTINGS, '').replace(REMARKS, '');
  const kind = /^[a-zA-Z]+/.exec(diagram)?.[0] ?? '';
  if (lines.length > (KINDS.get(kind) ?? 0) || lines.some((line) => line.length > LONGEST_LINE) || COUNTS.test(diagram))
    return true;
  // Other settings that were taken for the diagram.
  if (/^\s*---\s*$/m.test(diagram)) return true;
  if (kind !== 'sequenceDiagram' && (diagram.match(EDGE)?.length ?? 0) > MOST_EDGES) return true;
  let [depth, blocks] = [0, 0];
  for (const sign of source.match(/[[({]|[\])}]/g) ?? []) {
    depth += '[({'.includes(sign) ? 1 : -1;
    if (depth > DEEPEST) return true;
  }
  for (const line of lines) {
    if (/^\s*(?:subgraph|loop|alt|opt|par|critical|rect|namespace|block|state .*\{)/.test(line)) blocks += 1;
    if (blocks > DEEPEST || (/^ */.exec(line)?.[0].length ?? 0) > 4 * DEEPEST) return true;
  }
  return false;
}

/** The diagram, or null for a source that cannot be drawn. */
export function drawDiagram(source: string, dark: boolean): Promise<Diagram | null> {
  const key = `${dark ? 'd' : 'l'}${source}`;
  const result = queue.then(async () => {
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const diagram = tooMuch(source) ? null : await ask(source, dark);
    drawn.set(key, diagram);
    const oldest = drawn.keys().next().value;
    if (drawn.size > KEPT && oldest !== undefined) drawn.delete(oldest);
    return diagram;
  });
  queue = result;
  return result;
}

async function ask(source: string, dark: boolean): Promise<Diagram | null> {
  clearTimeout(idle);
  frame ??= open();
  const { element, ready } = frame;
  try {
    if (!(await ready)) throw new Error('The frame did not begin.');
    ids += 1;
    const id = ids;
    const answer = heard(element, id, PATIENCE_MS);
    element.contentWindow?.postMessage({ id, source, dark }, '*');
    const diagram = checked(await answer);
    // A source that failed may have left something behind: the next one gets a new frame.
    if (!diagram) close();
    return diagram;
  } catch {
    // The frame did not begin or said nothing in time, or what it said is no text: the source stands there, and the next one gets a new frame.
    close();
    return null;
  } finally {
    idle = setTimeout(close, IDLE_MS);
  }
}

function close(): void {
  frame?.element.remove();
  frame = null;
}

function open(): Frame {
  const [libraryUrl, programUrl] = [library, program].map((path) => new URL(path, location.href).href);
  const policy = [
    ['default-src', "'none'"],
    ['style-src', "'unsafe-inline'"],
  ]
    .map((part) => part.join(' '))
    .join(';');
  const element = document.createElement('iframe');
  // Programs may run in it, and nothing else: it has no origin, opens nothing, sends no forms and cannot take the window elsewhere.
  element.sandbox.value = 'allow-scripts';
  element.title = '';
  element.tabIndex = -1;
  element.ariaHidden = 'true';
  element.inert = true;
  Object.assign(element.style, {
    position: 'fixed',
    left: '-4000px',
    top: '0',
    width: '1200px',
    height: '800px',
    border: '0',
    visibility: 'hidden',
    contain: 'strict',
  });
  // The window's policy holds in it from the beginning: only scripts of the window. Once both are there, its own allows nothing more. It stands behind them,
  // since WebKit takes no script of the window in a frame without an origin that has a policy of its own.
  element.srcdoc = [
    '<!doctype html><meta charset="utf-8"><script src="',
    libraryUrl,
    '"></script><script src="',
    programUrl,
    '"></script><meta http-equiv="Content-Security-Policy" content="',
    policy,
    '">',
  ].join('');
  const ready = heard(element, 0, BEGIN_MS).then(
    () => true,
    () => false,
  );
  document.body.append(element);
  return { element, ready };
}

/** What the frame says under this number. Rejects when it says nothing in time. */
function heard(element: HTMLIFrameElement, id: number, withinMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = () => {
      removeEventListener('message', hear);
      clearTimeout(timer);
    };
    const hear = ({ source, data }: MessageEvent<unknown>) => {
      if (
        source !== element.contentWindow ||
        typeof data !== 'object' ||
        data === null ||
        !('id' in data) ||
        data.id !== id
      )
        return;
      end();
      resolve(data);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error('The frame said nothing in time.'));
    }, withinMs);
    addEventListener('message', hear);
  });
}

const isSide = (value: unknown): value is number => typeof value === 'number' && value >= 1 && value <= WIDEST;

/** What the frame says is as hostile as the source: no more of it is taken than a picture. */
export function checked(said: unknown): Diagram | null {
  if (typeof said !== 'object' || said === null) return null;
  const { svg, width, height } = said as Record<string, unknown>;
  if (typeof svg !== 'string' || svg.length > LARGEST || !isSide(width) || !isSide(height)) return null;
  if (!svg.startsWith('<svg') || /<(?:\w+:)?(?:script|foreignobject|image|iframe|use|animate|set)\b/i.test(svg))
    return null;
  return { address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width, height };
}
