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

export const reading: Script = (ids, text, startMs) => new Recording(ids, text, startMs).wait(40).action().wait(120).say(TEXT).end('answered', 'stop').completed();

/** Links that would harm if any of them did what it says. */
const HOSTILE_TEXT = [
  'javascript:window.__ran=1', 'JAVASCRIPT:window.__ran=1', 'data:text/html,<script>window.__ran=1</script>', 'vbscript:x', 'file:///etc/passwd', '//evil.example', '/etc/passwd',
  'tauri://localhost', 'ipc://localhost', 'http://ipc.localhost@evil.example', 'blob:https://evil.example/x', 'https://user:password@evil.example/', 'about:blank', '#top', '?replay=welcome',
].map((address, index) => `${index}. [link ${index}](<${address}>)`).join('\n');

export const hostileLinks: Script = (ids, text, startMs) => new Recording(ids, text, startMs).wait(40).action().wait(120).say(HOSTILE_TEXT).end('answered', 'stop').completed();
