// Attachments that are not of the project: files that are pasted, dropped or picked while a message is written. The core keeps them with the draft.
// Each draft has its own, so that an answer that comes late is never shown in another one. Not here: how they
// look (ui/composer/Attachments.svelte), and where they come from (model/transfer.ts).

import { asErrorInfo, ask, type Backend } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { DroppedFile } from '$lib/generated/DroppedFile';
import type { DroppedFiles } from '$lib/generated/DroppedFiles';
import type { Op } from '$lib/generated/Op';
import type { Attachment } from '$lib/generated/Attachment';
import { dataOf } from '$lib/markdown/pictures';
import { type Transfer, images, pasted, type Read } from '$lib/model/transfer';
import { words } from '$lib/words';
import { thumbnailOf } from './thumbnails';

/** Files of one message; the core refuses more (`MOST` of its attachments.rs). */
export const MOST = 20;
/** A file that is larger is refused by the core in any case (7 MB), so it is not read. */
const LARGEST = 8 * 1024 * 1024;

/** One thing that was added to the message. */
export type Added =
  | { state: 'coming'; id: number; name: string }
  /** `small` is a picture of an image, once there is one; `text` what was pasted, as long as this window has it. */
  | { state: 'here'; id: number; file: Attachment; small: string | null; text: string | null }
  | { state: 'refused'; id: number; message: string; action: string | null };

type Here = Extract<Added, { state: 'here' }>;

const isHere = (added: Added): added is Here => added.state === 'here';
const keyOf = (of: DraftOf): string => (of.type === 'session' ? `s ${of.sessionId}` : `p ${of.projectId}`);

/** What this window itself refuses. */
class Refusal {
  constructor(
    readonly message: string,
    readonly action: string,
  ) {}
}

/** The source that the core takes a file from: this window, with what was pasted as long as it has that, or the shell, which knows what was dropped (0058). */
type Source = { file: File; text: string | null } | { dropped: DroppedFile };

/** The files of a message that is being written. */
class Draft {
  added: readonly Added[] = $state.raw([]);
  /** What the core has of it is in `added`. */
  known = false;
  /** What has left it: an answer of the core may not know of that yet. */
  readonly gone = new Set<string>();

  constructor(public of: DraftOf) {}

  has(id: number): boolean {
    return this.added.some((added) => added.id === id);
  }

  put(id: number, change: Added | null): void {
    this.added = this.added.flatMap((added) => (added.id !== id ? [added] : change ? [change] : []));
  }
}

export class Attachments {
  #here: Draft | null = $state.raw(null);
  readonly #drafts = new Map<string, Draft>();
  #made = 0;
  /** What was asked of the core last: it is asked one thing after the other. */
  #last: Promise<void> = Promise.resolve();
  /** A message is on its way. */
  #sending: Promise<void> = Promise.resolve();

  added: readonly Added[] = $derived(this.#here?.added ?? []);
  /** The attachments that the message would have now. */
  files: readonly Attachment[] = $derived(this.added.filter(isHere).map(({ file }) => file));
  /** One is on its way to the core. */
  coming: boolean = $derived(this.added.some(({ state }) => state === 'coming'));

  constructor(
    private readonly backend: Backend,
    private readonly problem: (thrown: unknown) => void,
  ) {}

  /** The person writes somewhere else. */
  moved(of: DraftOf | null): void {
    const draft = of && (this.#drafts.get(keyOf(of)) ?? new Draft(of));
    this.#here = draft;
    if (!draft) return;
    this.#drafts.set(keyOf(draft.of), draft);
    if (!draft.known) this.#load(draft);
  }

  /** The first message of a session was sent: what was added meanwhile belongs to the session. */
  began(before: DraftOf, now: DraftOf): void {
    const draft = this.#drafts.get(keyOf(before));
    if (!draft || draft !== this.#here) return this.moved(now);
    this.#drafts.delete(keyOf(before));
    draft.of = now;
    this.#drafts.set(keyOf(now), draft);
  }

  /** The core has put files back into the message of a session. */
  cameBack(sessionId: string, files: readonly Attachment[]): void {
    const draft = this.#drafts.get(keyOf({ type: 'session', sessionId }));
    if (!draft || files.length === 0) return;
    for (const { sha256 } of files) draft.gone.delete(sha256);
    draft.known = false;
    if (draft === this.#here) this.#load(draft);
  }

  /** Adds files to the message that is being written; folders are none. */
  add(files: readonly File[], folders: readonly string[] = []): void {
    const draft = this.#here;
    if (draft) this.#add(draft, files.map(withoutText), folders);
  }

  /** The same of what the person dropped on the window, where the web view does not hand it to the page. */
  take({ files, folders }: DroppedFiles): void {
    const draft = this.#here;
    if (draft)
      this.#add(
        draft,
        files.map((dropped) => ({ dropped })),
        folders,
      );
  }

  #add(draft: Draft, files: readonly Source[], folders: readonly string[] = []): void {
    for (const folder of folders) this.#refuse(draft, words.attachments.isFolder(folder), words.attachments.openFolder);
    const room = Math.max(0, MOST - draft.added.filter(({ state }) => state !== 'refused').length);
    for (const source of files.slice(0, room)) this.#come(draft, source);
    if (files.length > room)
      this.#refuse(draft, words.attachments.tooMany(MOST, files.length - room), words.attachments.tooManyAction);
  }

  /** True where a paste is not for the field: it has files, or a text that is rather one. `read` reads what the web view does not tell of. */
  paste(clipboard: Transfer, read: () => Promise<Read>): boolean {
    const draft = this.#here;
    const paste = draft && pasted(clipboard);
    if (!paste) return false;
    if (paste.kind === 'files') this.#add(draft, paste.files.map(withoutText));
    else if (paste.kind === 'text')
      this.#come(draft, {
        file: new File([paste.text], words.attachments.pastedText, { type: 'text/plain' }),
        text: paste.text,
      });
    else if (paste.kind === 'hidden') void this.#ask(draft);
    else void this.#read(draft, read);
    return paste.kind !== 'untold';
  }

  async #read(draft: Draft, read: () => Promise<Read>): Promise<void> {
    // A clipboard that cannot be read, or has nothing in it, adds nothing, as in any other field.
    const files = await read()
      .then(images)
      .catch(() => []);
    this.#add(draft, files.map(withoutText));
  }

  /** Takes the files that the shell finds in the clipboard. */
  async #ask(draft: Draft): Promise<void> {
    try {
      const outcome = await this.backend.submit({ type: 'paste' });
      if (outcome.type !== 'dropped') throw new Error(`The reply to paste was ${outcome.type}.`);
      this.#add(
        draft,
        outcome.dropped.files.map((dropped) => ({ dropped })),
        outcome.dropped.folders,
      );
    } catch (thrown) {
      this.problem(thrown);
    }
  }

  /** Takes something out of the message. */
  remove(id: number): void {
    const draft = this.#here;
    const added = draft?.added.find((it) => it.id === id);
    if (!draft || !added) return;
    draft.put(id, null);
    if (!isHere(added)) return;
    draft.gone.add(added.file.sha256);
    this.#next(async () => {
      try {
        await this.backend.submit({ type: 'remove_attachment', of: draft.of, sha256: added.file.sha256 });
      } catch (thrown) {
        draft.gone.delete(added.file.sha256);
        draft.added = [...draft.added, added];
        this.problem(thrown);
      }
    });
  }

  /** A message is sent with these: they leave what is being written. What is returned puts them back, where it could not be sent. */
  leave(files: readonly Attachment[]): () => void {
    const draft = this.#here;
    if (!draft || files.length === 0) return () => {};
    const leaves = (added: Added) => isHere(added) && files.some(({ sha256 }) => sha256 === added.file.sha256);
    const gone = draft.added.filter(leaves);
    draft.added = draft.added.filter((added) => !leaves(added));
    for (const { sha256 } of files) draft.gone.add(sha256);
    return () => {
      draft.added = [...gone.filter(({ id }) => !draft.has(id)), ...draft.added];
      for (const { sha256 } of files) draft.gone.delete(sha256);
    };
  }

  /** Waits with what is added until a message is sent: the first one of a session makes the draft of the next one. */
  hold(): () => void {
    let release = () => {};
    this.#sending = new Promise((resolve) => (release = resolve));
    return release;
  }

  #refuse(draft: Draft, message: string, action: string | null): void {
    draft.added = [...draft.added, { state: 'refused', id: ++this.#made, message, action }];
  }

  #come(draft: Draft, source: Source): void {
    const id = ++this.#made;
    const { name } = 'dropped' in source ? source.dropped : source.file;
    draft.added = [...draft.added, { state: 'coming', id, name }];
    this.#next(() => this.#take(draft, id, source));
  }

  #next(act: () => Promise<void>): void {
    this.#last = this.#last.then(act).catch((thrown: unknown) => this.problem(thrown));
  }

  async #take(draft: Draft, id: number, source: Source): Promise<void> {
    await this.#sending;
    // The person took it out again.
    if (!draft.has(id)) return;
    try {
      const content = 'dropped' in source ? null : await contentOf(source.file);
      const { of } = draft;
      const outcome = await this.backend.submit(taking(of, source, content));
      if (outcome.type !== 'attached_file') throw new Error(`The reply to a file was ${outcome.type}.`);
      const { sha256 } = outcome.file;
      await this.#sending;
      if (draft.of !== of) {
        await this.backend.submit({ type: 'remove_attachment', of, sha256 });
        return await this.#take(draft, id, source);
      }
      // The core keeps a file once.
      const isThere = draft.added.some((added) => isHere(added) && added.file.sha256 === sha256);
      if (!draft.has(id)) {
        if (isThere) return;
        draft.gone.add(sha256);
        await this.backend.submit({ type: 'remove_attachment', of, sha256 });
        return;
      }
      draft.gone.delete(sha256);
      const text = 'dropped' in source ? null : source.text;
      draft.put(id, isThere ? null : { state: 'here', id, file: outcome.file, small: null, text });
      if (!isThere) await this.#look(draft, id, outcome.file, content);
    } catch (thrown) {
      const { message, action } = thrown instanceof Refusal ? thrown : asErrorInfo(thrown);
      draft.put(id, { state: 'refused', id, message, action });
    }
  }

  /** What the core has of a message: after a restart, and where another process wrote it. */
  #load(draft: Draft): void {
    const { of } = draft;
    // Without an answer it is asked for again when the person comes back.
    const answer = ask(this.backend, { type: 'draft', of }).then(
      ({ files }) => files,
      () => null,
    );
    this.#next(async () => {
      const files = await answer;
      if (files === null || draft.of !== of) return;
      const is =
        ({ sha256 }: Attachment) =>
        (added: Added) =>
          isHere(added) && added.file.sha256 === sha256;
      const before = files.filter((file) => !draft.gone.has(file.sha256) && !draft.added.some(is(file)));
      const added = before.map((file): Here => ({ state: 'here', id: ++this.#made, file, small: null, text: null }));
      draft.added = [...added, ...draft.added];
      draft.known = true;
      for (const { id, file } of added) await this.#look(draft, id, file, null);
    });
  }

  /** Makes the small picture of an image. One that cannot be made leaves the sign of an image. */
  async #look(draft: Draft, id: number, { name, sha256, content }: Attachment, data: string | null): Promise<void> {
    if (content.type !== 'image') return;
    try {
      const whole =
        data === null
          ? dataOf((await ask(this.backend, { type: 'attachment_picture', name, sha256 })).picture)
          : dataOf({ kind: content.kind, data });
      const small = await thumbnailOf(whole);
      const added = draft.added.find((it) => it.id === id);
      if (added?.state === 'here') draft.put(id, { ...added, small });
    } catch {
      // As above.
    }
  }
}

const withoutText = (file: File): Source => ({ file, text: null });

const taking = (of: DraftOf, source: Source, content: string | null): Op =>
  'dropped' in source
    ? { type: 'attach_dropped', of, number: source.dropped.number }
    : { type: 'attach_file', of, name: source.file.name, data: content ?? '' };

/** The file as the core takes it, in base64. */
function contentOf(file: File): Promise<string> {
  if (file.size > LARGEST) throw new Refusal(words.attachments.tooLarge(file.name), words.attachments.tooLargeAction);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      // `readAsDataURL` gives text.
      const address = reader.result as string;
      resolve(file.size === 0 ? '' : address.slice(address.lastIndexOf(',') + 1));
    };
    reader.onerror = () =>
      reject(new Refusal(words.attachments.unreadable(file.name), words.attachments.unreadableAction));
    reader.readAsDataURL(file);
  });
}
