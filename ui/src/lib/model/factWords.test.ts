import { expect, test } from 'vitest';
import { factWords } from './factWords';

test('X4: what was done is said with what it was done to and how it ended', () => {
  const read = {
    type: 'call',
    name: 'read_file',
    arguments: '{"path":"src/a.rs","max_lines":40}',
    status: 'ok',
    sha256: 'aa',
  } as const;
  expect(factWords(read)).toEqual({ what: 'read_file', of: 'src/a.rs', outcome: '' });
  expect(factWords({ ...read, arguments: '{"path":"src/a…', status: null })).toEqual({
    what: 'read_file',
    of: '{"path":"src/a…',
    outcome: 'did not end',
  });
  const write = {
    type: 'write',
    path: 'a.md',
    operation: 'edit',
    status: 'written',
    sha256: 'bb',
    bytes: 12,
    rejectedHunks: [2, 3],
    revised: true,
  } as const;
  expect(factWords({ ...write, rejectedHunks: [...write.rejectedHunks] })).toEqual({
    what: 'edit',
    of: 'a.md',
    outcome: 'written, without changes 2, 3, changed by you',
  });
  const refused = { type: 'decision', name: 'run_command', summary: 'rm -r .', granted: false } as const;
  expect(factWords(refused)).toEqual({ what: 'you did not allow', of: 'run_command', outcome: 'rm -r .' });
});
