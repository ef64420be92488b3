import { beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { Op } from '$lib/generated/Op';
import type { Attachment } from '$lib/generated/Attachment';
import { Attachments } from './attachments.svelte';

const HERE: DraftOf = { type: 'session', sessionId: 's' };
const THERE: DraftOf = { type: 'session', sessionId: 'other' };
const NEW: DraftOf = { type: 'project', projectId: 'p' };

/** The core: it does a thing at once, and its answer comes when the test says so. */
let drafts: Map<string, Attachment[]>;
let answers: (() => void)[];
let refuses: boolean;
const keyOf = (of: DraftOf) => (of.type === 'session' ? of.sessionId : of.projectId);
const at = (of: DraftOf) => (drafts.get(keyOf(of)) ?? []).map(({ name }) => name);
const later = <T>(value: T) => new Promise<T>((resolve) => answers.push(() => resolve(value)));

const backend = {
  submit: (op: Extract<Op, { type: 'attach_file' | 'attach_dropped' | 'remove_attachment' | 'paste' }>) => {
    if (refuses) return Promise.reject({ code: 'usage', message: 'No.', action: 'Leave it.' });
    if (op.type === 'paste')
      return later({ type: 'dropped', dropped: { files: [{ number: 7, name: 'copied' }], folders: ['src'] } });
    const before = drafts.get(keyOf(op.of)) ?? [];
    if (op.type === 'remove_attachment') {
      drafts.set(
        keyOf(op.of),
        before.filter(({ sha256 }) => sha256 !== op.sha256),
      );
      return later({ type: 'done' });
    }
    const [name, sha256] =
      op.type === 'attach_dropped' ? [`dropped ${op.number}`, `dropped ${op.number}`] : [op.name, op.data];
    const file: Attachment = { name, sha256, bytes: 1, content: { type: 'text', lines: 1 } };
    if (!before.some((it) => it.sha256 === sha256)) drafts.set(keyOf(op.of), [...before, file]);
    return later({ type: 'attached_file', file });
  },
  query: ({ of }: { of: DraftOf }) => later({ type: 'draft', text: null, files: [...(drafts.get(keyOf(of)) ?? [])] }),
} as unknown as Backend;

/** Answers come until nothing more is asked. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = answers.length === 0 ? quiet + 1 : 0) {
    answers.splice(0).forEach((answer) => answer());
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const file = (name: string, content = name) => new File([content], name);
const shown = (files: Attachments) =>
  files.added.map((it) =>
    it.state === 'here' ? it.file.name : `${it.state} ${it.state === 'coming' ? it.name : it.message}`,
  );
let problems: unknown[];
const make = () => new Attachments(backend, (thrown) => problems.push(thrown));

beforeEach(() => {
  [drafts, answers, refuses, problems] = [new Map(), [], false, []];
  vi.stubGlobal(
    'FileReader',
    class {
      result = '';
      onload = () => {};
      readAsDataURL(read: File) {
        void read.text().then((text) => {
          this.result = `data:;base64,${text}`;
          this.onload();
        });
      }
    },
  );
});

test('a file that comes late is where it was added, and nowhere else', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a')]);
  expect([shown(files), files.coming]).toEqual([['coming a'], true]);
  files.moved(THERE);
  await settle();
  expect([shown(files), at(HERE), at(THERE)]).toEqual([[], ['a'], []]);
  files.moved(HERE);
  expect([shown(files), files.coming]).toEqual([['a'], false]);
});

test('what the core kept comes back, and what is taken out before it has come is dropped', async () => {
  drafts.set('s', [{ name: 'old', sha256: 'old', bytes: 1, content: { type: 'text', lines: 1 } }]);
  const files = make();
  files.moved(HERE);
  files.add([file('a'), file('b')]);
  files.remove(files.added[0]!.id);
  await settle();
  expect([shown(files), at(HERE)]).toEqual([
    ['old', 'b'],
    ['old', 'b'],
  ]);
});

test('a file that is taken out while the draft is asked for again stays out', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a'), file('b')]);
  await settle();
  files.cameBack('s', files.files);
  files.remove(files.added[0]!.id);
  await settle();
  expect([shown(files), at(HERE)]).toEqual([['b'], ['b']]);
});

test('what could not be dropped is there again, and the person sees why', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a')]);
  await settle();
  refuses = true;
  files.remove(files.added[0]!.id);
  await settle();
  expect([shown(files), problems.length]).toEqual([['a'], 1]);
});

test('a message takes its files along, and gives them back where it was not sent', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a'), file('b')]);
  await settle();
  const putBack = files.leave(files.files);
  files.moved(THERE);
  putBack();
  expect(shown(files)).toEqual([]);
  files.moved(HERE);
  expect(shown(files)).toEqual(['a', 'b']);
});

test('what is added while the first message of a session is on its way belongs to the session', async () => {
  const files = make();
  files.moved(NEW);
  files.add([file('a')]);
  await settle();
  // One is on its way to the core when the message leaves, and one is added afterwards.
  files.add([file('b')]);
  await new Promise((resolve) => setTimeout(resolve));
  expect(at(NEW)).toEqual(['a', 'b']);
  const sent = files.files;
  files.leave(sent);
  const release = files.hold();
  files.add([file('c')]);
  await settle();
  drafts.set(
    'p',
    (drafts.get('p') ?? []).filter(({ name }) => name !== 'a'),
  );
  files.began(NEW, HERE);
  release();
  await settle();
  expect([shown(files), at(HERE)]).toEqual([
    ['b', 'c'],
    ['b', 'c'],
  ]);
  expect(at(NEW)).toEqual([]);
});

test('one that is added twice stays when the second is taken out before it has come', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a', 'same')]);
  await settle();
  files.add([file('b', 'same')]);
  await new Promise((resolve) => setTimeout(resolve));
  files.remove(files.added[1]!.id);
  await settle();
  expect([shown(files), at(HERE)]).toEqual([['a'], ['a']]);
});

test('a refusal says why, is dismissed, and asks the core for nothing', async () => {
  const files = make();
  files.moved(HERE);
  refuses = true;
  files.add([file('a')], ['src']);
  await settle();
  expect(shown(files)).toEqual(['refused “src” is a folder.', 'refused No.']);
  files.remove(files.added[0]!.id);
  expect(shown(files)).toEqual(['refused No.']);
  expect(problems).toEqual([]);
});

test('the same content is one file, and twenty are the most', async () => {
  const files = make();
  files.moved(HERE);
  files.add([file('a', 'same'), file('b', 'same')]);
  await settle();
  expect(shown(files)).toEqual(['a']);
  files.add(Array.from({ length: 25 }, (_, n) => file(`f${n}`)));
  await settle();
  expect([files.files.length, files.added.at(-1)]).toMatchObject([
    20,
    { state: 'refused', message: 'A message can bring 20 files. 6 files were left out.' },
  ]);
});

test('what the person gave to the window is taken by its number, and folders are told as such', async () => {
  const files = make();
  files.moved(HERE);
  files.take({ files: [{ number: 1, name: 'dropped' }], folders: ['docs'] });
  expect(shown(files)).toEqual([expect.stringMatching(/^refused .*docs/), 'coming dropped']);
  await settle();
  expect([shown(files)[1], at(HERE)]).toEqual(['dropped 1', ['dropped 1']]);
});

test('files of a clipboard that the page does not see are asked for, and images of one that it is not told of are read', async () => {
  const files = make();
  files.moved(HERE);
  const clipboard = (types: string[]) => ({
    files: [],
    types,
    items: [],
    getData: (type: string) => (type === 'text/plain' && types.includes(type) ? '/home/fox' : ''),
  });
  const read = vi.fn(() =>
    Promise.resolve([{ types: ['image/png'], getType: () => Promise.resolve(new Blob(['png'])) }]),
  );
  expect(files.paste(clipboard(['text/uri-list', 'text/plain']), read)).toBe(true);
  // It belongs to where it was pasted.
  files.moved(THERE);
  await settle();
  files.moved(HERE);
  await settle();
  expect([shown(files), at(HERE), at(THERE), read.mock.calls.length]).toEqual([
    [expect.stringMatching(/^refused .*src/), 'dropped 7'],
    ['dropped 7'],
    [],
    0,
  ]);

  expect(files.paste(clipboard([]), read)).toBe(false);
  await settle();
  expect(shown(files)[2]).toBe('image.png');
  // The person may not paste there, or there is nothing.
  expect(files.paste(clipboard([]), () => Promise.reject(new Error('No.')))).toBe(false);
  await settle();
  expect([shown(files).length, problems]).toEqual([3, []]);
});
