// An answer with what answers are read for: links, paths, wide tables, long lines.

import { Recording } from './recording';
import type { Script } from './scripts';

const TEXT = `The loader is in \`src/config.rs:17\`; it is called from src/main.rs and described in docs/guide.md:4200, but not in src/nowhere.rs. More is in [the book](https://doc.rust-lang.org/book/), at https://docs.rs/toml/latest/toml/, and with [Ada](mailto:ada@example.org).

Not every link is what it says: [https://bank.example/](https://evil.example/login), [the editor](vscode://file/etc/passwd), [a name](https://bank.example@evil.example/).

| Key | Signature of the function that reads it | From the environment | Where it is checked first | Default |
| --- | --- | --- | --- | --- |
| \`den\` | \`read_den_from_environment_or_file\` | \`FOXES_DEN_OF_THE_WINTER_SIMULATION\` | \`src/config.rs\` | none |
| \`pace_ms\` | \`default_pace\` | no | when the simulation begins its first step | 250 |

\`\`\`rust
let error = ConfigError::Parse { path: path.to_owned(), line: cause.span().map(|span| file[..span.start].lines().count()), message: cause.message().to_owned() };
return Err(error);
\`\`\`

- [x] The file is read.
- [ ] A flag is missing.
`;

export const reading: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs).wait(40).action().wait(120).say(TEXT).end('answered', 'stop').completed();

/** Formulas, footnotes, pictures and diagrams. */
const RICH_TEXT = `The error falls with $1/\\sqrt{n}$, so four times the runs[^runs] halve it; a run costs $0.40 to $0.60, and \\(n\\)th runs cost less[^cost].

$$
\\bar{x} = \\frac{1}{n} \\sum_{i=1}^{n} x_i \\qquad \\sigma^2 = \\frac{1}{n - 1} \\sum_{i=1}^{n} (x_i - \\bar{x})^2
$$

\\[
\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}^{-1} = \\frac{1}{ad - bc} \\begin{pmatrix} d & -b \\\\ -c & a \\end{pmatrix}
\\]

What is left as it was written: \\(\\href{https://evil.example}{x}\\), $\\notacommand{x}$.

- [x] The mean is \`src/config.rs\`.
- [ ] The variance is missing, and its words are long enough to need a second line where they are read.
  - [x] One within another.

Dens lie under the hill:

![A den under a hill at dusk](docs/den.png)

Not shown: ![a drawing](docs/den.svg), ![a pixel](https://evil.example/pixel.png).

\`\`\`mermaid
flowchart LR
  file[config.toml] --> read{Is there a file?}
  read -- yes --> parse[Parse it]
  read -- no --> defaults[Take the defaults]
  parse --> env[Apply the environment]
  defaults --> env
\`\`\`

[^runs]: A run is a *whole* winter: see \`src/main.rs\`.
[^cost]: By the prices of [the book](https://doc.rust-lang.org/book/).
`;

export const rich: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(120)
    .say(RICH_TEXT, 24, 12)
    .end('answered', 'stop')
    .completed();

/** Links that would harm if any of them did what it says. */
const HOSTILE_TEXT = [
  'javascript:window.__ran=1',
  'JAVASCRIPT:window.__ran=1',
  'data:text/html,<script>window.__ran=1</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  '/etc/passwd',
  'tauri://localhost',
  'ipc://localhost',
  'http://ipc.localhost@evil.example',
  'blob:https://evil.example/x',
  'https://user:password@evil.example/',
  'about:blank',
  '#top',
  '?replay=welcome',
]
  .map((address, index) => `${index}. [link ${index}](<${address}>)`)
  .join('\n');

/** What formulas and footnotes could try, as one answer: of each kind by itself, and without an end. */
const HOSTILE_SOURCES = [
  ...[
    '\\href{javascript:window.__ran=1}{x}',
    '\\url{https://evil.example/}',
    '\\includegraphics{https://evil.example/x.png}',
    '\\class{a}{x}',
    '\\style{background:url(https://evil.example/x.png)}{x}',
    '\\id{a}{x}',
    '\\color{red;background:url(https://evil.example/x.png)}x',
    '\\htmlData{onclick=window.__ran=1}{x}',
    '\\ref{a}',
    '\\text{<img src=x onerror=window.__ran=1>}',
    '\\constructor',
    '\\__proto__',
    '\\begin{constructor}x\\end{constructor}',
    '\\def\\a{\\a\\a}\\a',
    '\\rule{9999em}{9999em}',
    '\\kern{-9999em}x',
    `${'{'.repeat(900)}x${'}'.repeat(900)}`,
    '\\frac{'.repeat(300),
    '\\let\\x\\y\\gdef\\sqrt{\\frac{1}{2}}\\sqrt',
    '\\verb|<script>window.__ran=1</script>|',
  ].flatMap((tex) => [`$${tex}$ and \\(${tex}\\)`, `$$\n${tex}\n$$`]),
  `$$\n${'x + '.repeat(250_000)}x\n$$`,
  `\\[\n${'{'.repeat(10_000)}x${'}'.repeat(10_000)}\n\\]`,
  `One[^<img/src=x/onerror=window.__ran=1>] two[^__proto__] three[^constructor] four[^"]]`,
  '[^<img/src=x/onerror=window.__ran=1>]: <script>window.__ran=1</script> [link](javascript:window.__ran=1)',
  '[^__proto__]: ![x](https://evil.example/x.png)',
  '[^constructor]: The constructor.',
  ...[
    'https://evil.example/x.png',
    '//evil.example/x.png',
    'data:image/svg+xml,<svg onload=window.__ran=1>',
    'javascript:window.__ran=1',
    'file:///etc/passwd',
    '../../etc/passwd',
    '/etc/passwd',
    'tauri://localhost/x.png',
    'docs/den.svg',
    '?replay=x',
  ].map((address) => `![a picture](<${address}>) [![linked](<${address}>)](<${address}>)`),
  '| a <img src=x onerror=window.__ran=1> | $\\href{javascript:window.__ran=1}{x}$ |\n| --- | --- |\n| <svg/onload=window.__ran=1> | [link](javascript:window.__ran=1) |',
  '- [x] <input onfocus=window.__ran=1 autofocus>',
];

const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

/** What diagrams could try: to run something, to ask for something, to take the window elsewhere, to take for ever. */
const HOSTILE_DIAGRAMS = [
  'flowchart LR\n  a["<img src=x onerror=window.__ran=1>"] --> b["<script>window.__ran=1</script>"]',
  'flowchart LR\n  a --> b\n  click a "javascript:window.__ran=1"\n  click b href "https://evil.example/" _top',
  'flowchart LR\n  a --> b\n  click a call alert(1)',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  a["<iframe src=https://evil.example></iframe>"] --> b',
  '%%{init: {"themeCSS": "* { background: url(https://evil.example/x.png) } @import url(https://evil.example/x.css);"}}%%\nflowchart LR\n  a --> b',
  '---\nconfig:\n  securityLevel: loose\n  fontFamily: "x; background: url(https://evil.example/x.png)"\n---\nflowchart LR\n  a --> b',
  '%%{init: {"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}}%%\nflowchart LR\n  a --> b',
  'flowchart LR\n  a@{ img: "https://evil.example/x.png", label: "x" } --> b',
  'flowchart LR\n  constructor --> __proto__\n  __proto__ --> toString',
  'flowchart LR\n  classDef x fill:url(https://evil.example/x.png)\n  a:::x --> b\n  style b background:url(https://evil.example/y.png)',
  'sequenceDiagram\n  participant A as <img src=x onerror=window.__ran=1>\n  A->>B: <script>window.__ran=1</script>\n  link A: x @ javascript:window.__ran=1',
  'classDiagram\n  class A\n  link A "javascript:window.__ran=1"\n  callback A "alert"',
  'pie title <svg onload=window.__ran=1>\n  "<b onclick=window.__ran=1>" : 1',
  'gantt\n  title x\n  section a\n  b :a1, 2024-01-01, 99999999d\n  click a1 href "javascript:window.__ran=1"',
  'flowchart LR\n  a["$$\\href{javascript:window.__ran=1}{x}$$"]',
  'not a diagram',
  '',
  `flowchart LR\n  ${'a --> '.repeat(900)}b`,
  `flowchart LR\n  ${Array.from({ length: 40 }, (_, index) => `n${index}`).join(' & ')} --> ${Array.from({ length: 40 }, (_, index) => `m${index}`).join(' & ')}`,
];

export const hostileDiagrams: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(120)
    .say(HOSTILE_DIAGRAMS.map(fence).join('\n\n'))
    .end('answered', 'stop')
    .completed();

/** One diagram of each common kind. */
const KINDS_OF_DIAGRAMS = [
  'flowchart TD\n  a[Begin] -->|ok| b(Middle) --> c{End?}\n  subgraph inner\n    b\n  end',
  'sequenceDiagram\n  Ada->>Bo: Hello\n  Bo-->>Ada: Hi\n  Note over Ada,Bo: Both know',
  'classDiagram\n  class Den {\n    +int foxes\n    +enter()\n  }\n  Den <|-- Earth',
  'stateDiagram-v2\n  [*] --> Idle\n  Idle --> Running : start\n  Running --> [*]',
  'erDiagram\n  DEN ||--o{ FOX : holds\n  FOX {\n    string name\n  }',
  'pie title Foxes\n  "red" : 3\n  "grey" : 1',
  'gantt\n  dateFormat YYYY-MM-DD\n  section Winter\n  Digging :a1, 2024-01-01, 30d',
  'gitGraph\n  commit\n  branch den\n  commit',
];

export const diagrams: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(120)
    .say(KINDS_OF_DIAGRAMS.map(fence).join('\n\n'))
    .end('answered', 'stop')
    .completed();

export const hostileRich: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(120)
    .say(HOSTILE_SOURCES.join('\n\n'))
    .end('answered', 'stop')
    .completed();

export const hostileLinks: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs).wait(40).action().wait(120).say(HOSTILE_TEXT).end('answered', 'stop').completed();
