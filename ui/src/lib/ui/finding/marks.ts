// Where a text stands in the page, and how it is marked: with a highlight, which changes nothing of the page, or else with an outline.

/** What the person does not read as part of the text: the heads of folds, buttons that copy, numbers of lines. */
const BESIDE =
  'button:not([data-testid=path]), [aria-hidden=true], figcaption, .visually-hidden, textarea, select, input';

const BLOCKS = [
  'p',
  'li',
  'td',
  'th',
  'dt',
  'dd',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'div',
  'summary',
  'blockquote',
  'figure',
  'section',
].join();

/** The places that one call gives at most. */
const MOST = 2_000;

/** Where a text stands in an element, whatever the case of its letters. It may go over several elements of one line. */
export function rangesIn(root: Element, text: string): Range[] {
  const wanted = lower(text);
  const ranges: Range[] = [];
  if (wanted === '') return ranges;
  let line: { node: Text; from: number }[] = [];
  let said = '';
  let block: Element | null = null;
  const flush = () => {
    for (
      let at = said.indexOf(wanted);
      at !== -1 && ranges.length < MOST;
      at = said.indexOf(wanted, at + wanted.length)
    ) {
      const [start, end] = [placeIn(line, at), placeIn(line, at + wanted.length - 1)];
      if (!start || !end) continue;
      const range = document.createRange();
      range.setStart(start.node, start.offset);
      range.setEnd(end.node, end.offset + 1);
      ranges.push(range);
    }
    [line, said] = [[], ''];
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(BESIDE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const within = node.parentElement?.closest(BLOCKS) ?? null;
    if (within !== block) flush();
    block = within;
    line.push({ node: node as Text, from: said.length });
    said += lower((node as Text).data);
  }
  flush();
  return ranges;
}

/** Small letters, each as long as it was, so that places stay where they are. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length
    ? small
    : [...text]
        .map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter))
        .join('');
}

function placeIn(line: readonly { node: Text; from: number }[], at: number): { node: Text; offset: number } | null {
  const part = line.findLast(({ from }) => from <= at);
  return part ? { node: part.node, offset: at - part.from } : null;
}

/** Milliseconds between two looks at a text that changes: an answer may grow with every frame. */
const AGAIN_MS = 200;

let following: MutationObserver | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;

/**
 * Marks the places that `find` gives, and the one of `now` as that where the person is. Again when what is below `root` changes: a text may be
 * coloured later, or grow. What was marked before is marked no more.
 */
export function mark(root: Element, find: () => Range[], now: () => Range | undefined): void {
  unmark();
  const look = () => {
    waiting = undefined;
    paint(find(), now());
  };
  look();
  following = new MutationObserver(() => (waiting ??= setTimeout(look, AGAIN_MS)));
  following.observe(root, { childList: true, characterData: true, subtree: true });
}

/** The place of this number, or the last one where there are fewer by now. */
export const nthOf = (nth: number) => (places: readonly Range[]) => places[Math.min(nth, places.length - 1)];

function paint(ranges: readonly Range[], now: Range | undefined): void {
  clear();
  if ('highlights' in CSS) {
    CSS.highlights.set('found', new Highlight(...ranges));
    if (now) {
      const highlight = new Highlight(now);
      highlight.priority = 1;
      CSS.highlights.set('found-now', highlight);
    }
  } else now?.startContainer.parentElement?.setAttribute('data-found', '');
}

export function unmark(): void {
  clearTimeout(waiting);
  waiting = undefined;
  following?.disconnect();
  following = null;
  clear();
}

function clear(): void {
  if ('highlights' in CSS) for (const name of ['found', 'found-now']) CSS.highlights.delete(name);
  for (const element of document.querySelectorAll('[data-found]')) element.removeAttribute('data-found');
}

/** Pixels from an edge within which a place is too near to it to be read well. */
const EDGE = 40;

/** Brings a place into view in everything that scrolls around it. */
export function bring(range: Range): void {
  for (let around = range.startContainer.parentElement; around; around = around.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(around);
    const [place, box] = [range.getBoundingClientRect(), around.getBoundingClientRect()];
    if (
      /auto|scroll/.test(overflowY) &&
      around.scrollHeight > around.clientHeight &&
      (place.top < box.top + EDGE || place.bottom > box.bottom - EDGE)
    ) {
      around.scrollTop += place.top - box.top - Math.max((box.height - place.height) / 2, 0);
    }
    if (
      /auto|scroll/.test(overflowX) &&
      around.scrollWidth > around.clientWidth &&
      (place.left < box.left || place.right > box.right)
    )
      around.scrollLeft += place.left - box.left - EDGE;
  }
}

/** Places that `find` gives, once there are more than `nth`: what opens may have to be loaded first. After a while those that are there. */
export function onceThere(root: Element, find: () => Range[], nth: number, patienceMs = 2_000): Promise<Range[]> {
  const now = find();
  if (now.length > nth) return Promise.resolve(now);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      watcher.disconnect();
      resolve(find());
    };
    const watcher = new MutationObserver(() => find().length > nth && done());
    const timer = setTimeout(done, patienceMs);
    watcher.observe(root, { childList: true, characterData: true, subtree: true });
  });
}
