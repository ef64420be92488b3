// Formulas as elements of MathML: made when there is one, by a library that is loaded then. The elements are built one by one, never from text, and
// none of them leads anywhere or loads anything. Not here: which part of a text is a formula (formula.ts).

/** Characters of a formula; a longer one is shown as it was written. */
const LONGEST = 4_000;
/** Groups in groups of a formula. Deeper ones take web views long to lay out. */
const DEEPEST = 40;
/** Elements of a formula. */
const MOST = 10_000;
/** The library makes the content of these up to three times, and so again for each that is in another. `math.test.ts` looks for others. */
const REPEATED = new Set(['\\cancelto', '\\ce', '\\equilibriumLeft', '\\equilibriumRight', '\\llap', '\\mathllap']);
const TIMES = 3;
/** A command that a formula defines may stand for all the rest of it, many times over. */
const DEFINES = /\\(?:[egx]?def|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;
/** Formulas that are kept once they are made. */
const KEPT = 400;
/** Milliseconds in which formulas are made at a stretch, so that a page of them holds up no frame. */
const STRETCH_MS = 6;

const NAMESPACE = 'http://www.w3.org/1998/Math/MathML';
const ATTRIBUTES = new Set([
  'accent',
  'accentunder',
  'class',
  'columnalign',
  'columnlines',
  'columnspacing',
  'columnspan',
  'depth',
  'dir',
  'display',
  'displaystyle',
  'encoding',
  'fence',
  'form',
  'frame',
  'framespacing',
  'height',
  'largeop',
  'linebreak',
  'linethickness',
  'lspace',
  'mathbackground',
  'mathcolor',
  'mathsize',
  'mathvariant',
  'maxsize',
  'minsize',
  'movablelimits',
  'notation',
  'rowalign',
  'rowlines',
  'rowspacing',
  'rowspan',
  'rspace',
  'scriptlevel',
  'separator',
  'side',
  'stretchy',
  'style',
  'symmetric',
  'voffset',
  'width',
]);
/** Of a style: measures, colours and names, and nothing that loads or leaves its place. */
const STYLE = /^(?!.*(?:url|position|image))[\w\s:;.%#(),+-]*$/i;

type Maker = (tex: string, display: boolean) => Element;

let maker: Promise<Maker> | undefined;
let queue: Promise<unknown> = Promise.resolve();
let stretchFrom = 0;
const made = new Map<string, Element | null>();

const keyOf = (tex: string, display: boolean) => `${display ? 'd' : 'i'}${tex}`;

/** The formula if it was made before; null where it cannot be drawn, undefined while that is not known. */
export function madeFormula(tex: string, display: boolean): Element | null | undefined {
  if (tooMuch(tex)) return null;
  return made.get(keyOf(tex, display));
}

/** Makes a formula. Null where it cannot be drawn. */
export async function makeFormula(tex: string, display: boolean): Promise<Element | null> {
  maker ??= load();
  const make = await maker;
  const turn = queue.then(breathe);
  queue = turn;
  await turn;
  const known = madeFormula(tex, display);
  if (known !== undefined) return known;
  let element: Element | null = null;
  try {
    element = make(tex, display);
  } catch {
    // Not TeX, or not what is drawn here: it is shown as it was written.
  }
  made.set(keyOf(tex, display), element);
  const oldest = made.keys().next().value;
  if (made.size > KEPT && oldest !== undefined) made.delete(oldest);
  return element;
}

async function breathe(): Promise<void> {
  if (performance.now() - stretchFrom < STRETCH_MS) return;
  await new Promise((resolve) => setTimeout(resolve));
  stretchFrom = performance.now();
}

async function load(): Promise<Maker> {
  const { default: temml } = await import('temml');
  return (tex, display) => {
    const tree = temml.__renderToMathMLTree(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: false,
      maxExpand: 100,
      maxSize: [20, 20],
    }) as { toNode: () => Node };
    const node = tree.toNode();
    if (!(node instanceof Element) || !isPlain(node)) throw new TypeError('This is no plain formula.');
    return node;
  };
}

/** True when there are not too many elements, every one is of MathML, and none has an attribute that could do something. */
export function isPlain(node: Element): boolean {
  const all = [node, ...node.querySelectorAll('*')];
  return (
    all.length <= MOST &&
    all.every(
      (element) =>
        element.namespaceURI === NAMESPACE &&
        [...element.attributes].every(
          ({ name, value }) => ATTRIBUTES.has(name) && (name !== 'style' || STYLE.test(value)),
        ),
    )
  );
}

/** Found out without the library: how long it is, how deep its groups go, and how often the library would make what is in them. */
export function tooMuch(tex: string): boolean {
  if (tex.length > LONGEST || DEFINES.test(tex)) return true;
  // For each group around the place, whether one of the commands stands in it; its content may be the next group there.
  let repeated = [false];
  let times = 1;
  for (const sign of tex.match(/\\[a-zA-Z]+|\\[^]|[{}]/g) ?? []) {
    if (sign === '{' || sign === '\\left' || sign === '\\begin') repeated.push(false);
    else if (sign === '}' || sign === '\\right' || sign === '\\end')
      repeated = repeated.length > 1 ? repeated.slice(0, -1) : [false];
    else if (REPEATED.has(sign)) {
      repeated[repeated.length - 1] = true;
      times = Math.max(times, TIMES ** repeated.filter((one) => one).length);
    }
    if (repeated.length - 1 > DEEPEST || tex.length * times > TIMES * LONGEST) return true;
  }
  return false;
}
