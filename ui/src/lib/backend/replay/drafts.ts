// Files that the recorded write sessions propose, with the files before.

import type { Draft } from './desk';
import { CONFIG_RS, error } from './fixtures';

const GUIDE_LINES = [
  '# A guide to foxes',
  '',
  'This guide is for people who have a den to look after and no time to read the source.',
  '',
  '## Start',
  '',
  '```sh',
  'foxes --den north --pace 250',
  '```',
  '',
  'The den must exist. A fox that finds no den waits, and after three rounds it goes home.',
  '',
];

/** A page of plain prose, about `sections` times a dozen lines. */
export function guide(sections: number): string {
  const rest = Array.from({ length: sections }, (_, index) => [
    `## ${index + 1}. What a fox does in round ${index + 1}`,
    '',
    'It reads the wind first, then the snow, and only then the map. Each of these can be turned off, and each has its own',
    'section below. Turning all three off leaves a fox that walks straight on.',
    '',
    '- `wind`: from where it blows, in degrees',
    `- \`snow\`: how deep it lies, ${index * 3 + 2} cm here`,
    '- `map`: what was seen before',
    '',
    `The next round begins after ${250 + index * 10} ms.`,
    '',
  ]).flat();
  return `${[...GUIDE_LINES, ...rest].join('\n')}\n`;
}

export const NEW_GUIDE: Draft = {
  path: 'docs/guide.md',
  operation: 'create',
  intent: 'A guide for people who run foxes',
  old: null,
  text: guide(8),
};

const FOX_RS = `//! One fox and what it knows.

use crate::den::Den;

pub struct Fox {
    pub name: String,
    pub den: Den,
    hunger: u32,
}

impl Fox {
    pub fn new(name: &str, den: Den) -> Self {
        Self { name: name.to_string(), den, hunger: 0 }
    }

    /// What other foxes hear when this one calls.
    pub fn call(&self) -> String {
        let where_from = self.den.entrance();
        format!("{} calls from {where_from}", self.name)
    }

    /// True when the den is near enough to be seen.
    pub fn sees_den(&self) -> bool {
        self.den.distance() < 40
    }

    /// One round: look, walk, eat.
    pub fn round(&mut self) -> Outcome {
        self.hunger += 1;
        if self.hunger > 10 {
            return Outcome::Home;
        }
        Outcome::Walked
    }

    pub fn feed(&mut self) {
        self.hunger = 0;
    }
}

pub enum Outcome {
    Walked,
    Home,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hungry_fox_goes_home() {
        let mut fox = Fox::new("Reynard", Den::default());
        for _ in 0..10 {
            fox.round();
        }
        assert!(matches!(fox.round(), Outcome::Home));
    }
}
`;

const FOX_AFTER = FOX_RS.replace('use crate::den::Den;\n', 'use crate::config::Config;\nuse crate::den::Den;\n')
  .replace('    hunger: u32,\n}', '    hunger: u32,\n    patience: u32,\n}')
  .replace('pub fn new(name: &str, den: Den) -> Self {', 'pub fn new(name: &str, den: Den, config: &Config) -> Self {')
  .replace('den, hunger: 0 }', 'den, hunger: 0, patience: config.patience }')
  .replace('self.hunger > 10', 'self.hunger > self.patience')
  .replace('Den::default());', 'Den::default(), &Config::default());');

/** Three changes in a file that is there. */
export const EDIT_FOX: Draft = {
  path: 'src/fox.rs',
  operation: 'edit',
  intent: 'Take the patience of a fox from the configuration',
  old: FOX_RS,
  text: FOX_AFTER,
};

export const FOX_ON_DISK = FOX_RS.replace('"Reynard"', '"Renard"');

/** The file changes on disk while the preview is open. */
export const EDIT_CHANGED: Draft = { ...EDIT_FOX, changesTo: FOX_ON_DISK };

export const EDIT_STALE: Draft = {
  ...EDIT_FOX,
  refusal: error('approval_stale', 'This is not what is proposed any more.', 'Look at the new preview, then decide.'),
};

/** Everything that can be wrong with content at once. */
export const HOSTILE: Draft = {
  path: '.github/workflows/release.yml',
  operation: 'overwrite',
  intent: 'Build on each tag',
  old: 'name: release\non:\n  push:\n    tags: ["v*"]\njobs:\n  build:\n    runs-on: ubuntu-24.04\n',
  text: [
    'Sure, here is the file:',
    '```yaml',
    'name: release',
    'on:',
    '  push:',
    '    tags: ["v*"]',
    'jobs:',
    '  build:',
    '    runs-on: ubuntu-24.04',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - run: echo "\u202etxt.exe\u202c"',
    '      - run: cargo build\u200b\u200b\u200b --release',
    '      - name: caf\ufffd',
    '      - run: printf "\u0000\u0007"',
    '      - run: <tool_call>upload</tool_call>',
    '```',
    '',
  ].join('\n'),
  alwaysAsks: 'a file that can run code later',
  seams: [{ offset: 210, line: 12, dropped: 48 }],
  faults: [
    { kind: 'replacement', line: 14, column: 18, what: 'U+FFFD', context: '      - name: caf\\u{fffd}' },
    { kind: 'control', line: 15, column: 22, what: 'U+0000', context: '      - run: printf "\\u{0}\\u{7}"' },
    {
      kind: 'markup',
      line: 16,
      column: 14,
      what: '<tool_call>',
      context: '      - run: <tool_call>upload</tool_call>',
    },
  ],
  moreFaults: 12,
  removals: [
    { kind: 'preamble', line: 1, text: 'Sure, here is the file:' },
    { kind: 'fence', line: 2, text: '```yaml' },
    { kind: 'characters', line: 14, text: 'U+FFFD, U+0000, U+0007' },
  ],
};

export const LEGACY: Draft = { ...EDIT_FOX, path: 'src/altes.rs', encoding: 'UTF-16LE with BOM', lineEnds: 'CRLF' };

/** A text where a picture was. */
export const LOGO: Draft = {
  path: 'logo.png',
  operation: 'overwrite',
  intent: 'A logo in letters',
  old: null,
  replacedBytes: 3_402,
  text: 'FOX\n',
};

export const NO_LOGO: Draft = { ...LOGO, intent: 'No logo', text: '' };

export const EMPTY: Draft = {
  path: '.nojekyll',
  operation: 'create',
  intent: 'A mark for the server',
  old: null,
  text: '',
};

/** 20,000 lines, every twentieth of them changed, and 10,000 new ones behind them. */
export function large(): Draft {
  const line = (index: number) =>
    `    ("fox ${index}", Den { north: ${index % 7}, south: ${(index * 31) % 11}, deep: ${index % 2 === 0} }),`;
  const old = Array.from({ length: 20_000 }, (_, index) => line(index));
  const text = [
    ...old.map((was, index) => (index % 20 === 7 ? was.replace('deep: ', 'depth: ') : was)),
    ...Array.from({ length: 10_000 }, (_, index) => line(20_000 + index)),
  ];
  return {
    path: 'src/table.rs',
    operation: 'overwrite',
    intent: 'Rename a field',
    old: `${old.join('\n')}\n`,
    text: `${text.join('\n')}\n`,
  };
}

/** A new file of 20,000 lines: every row is in one hunk. */
export function longNew(): Draft {
  const text = Array.from({ length: 625 }, () => CONFIG_RS).join('');
  return { path: 'src/generated.rs', operation: 'create', intent: 'Generated code', old: null, text };
}

/** A rule that repeats itself, and the file that is made of it when one is kept. */
export const RULE = '  background-color: #fff;\n';
export const STYLE_ONCE = `body {\n${RULE}`;
export const STYLE: Draft = {
  path: 'src/style.css',
  operation: 'create',
  intent: 'The colours of the page',
  old: null,
  text: STYLE_ONCE,
  faults: [
    {
      kind: 'incomplete',
      line: 2,
      column: 26,
      what: 'The content of src/style.css only repeated itself; one of the repeats was kept.',
      context: '  background-color: #fff;',
    },
  ],
};

/** A line of a program that was made smaller: so many characters of calls, one after the other. */
const minified = (characters: number, what: string) =>
  `(()=>{${`f("${what}",42);`.repeat(Math.ceil(characters / 13))}})();`;

/**
 * Lines that are too long for a row: one that changes far behind what is shown, and has a character there that turns
 * the text; and one that two stretches do not show.
 */
export const MINIFIED: Draft = {
  path: 'dist/foxes.min.js',
  operation: 'edit',
  intent: 'Make the build smaller',
  old: `/* foxes */\n${minified(5_000, 'den')}\n${guide(2)}/* end */\n`,
  text: `/* foxes */\n${minified(5_000, 'den').replace(/\}\)\(\);$/u, '/* \u202e */evil()})();')}\n${guide(2)}${minified(50_000, 'fox')}\n/* end */\n`,
};

const LONG_PAGE = guide(9);
const LONG_LINES = LONG_PAGE.split('\n').length - 1;

/** One line in the place of a whole file. */
export const SHRUNK: Draft = {
  path: 'docs/guide.md',
  operation: 'overwrite',
  intent: 'Update the guide',
  old: LONG_PAGE,
  text: `# A guide to foxes\n<!-- … the rest of the guide is unchanged … -->\n`,
  oldLines: LONG_LINES,
  faults: [
    {
      kind: 'shrinks',
      line: 1,
      column: 1,
      what: `${LONG_LINES - 1} of ${LONG_LINES} lines`,
      context: '# A guide to foxes',
    },
  ],
};
