// Files that come with a message and are not of the project: pasted, dropped or picked while it is written. The core keeps them with the draft.
// Each place where a message is written has its own, so that an answer that comes late is never shown in another one. Not here: how they
// look (ui/composer/SentFiles.svelte), and where they come from (model/carried.ts).

import { asErrorInfo, ask, type Backend } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { GivenFile } from '$lib/generated/GivenFile';
import type { GivenFiles } from '$lib/generated/GivenFiles';
import type { Op } from '$lib/generated/Op';
import type { SentFile } from '$lib/generated/SentFile';
import { dataOf } from '$lib/markdown/pictures';
import { type Carried, images, pasted, type Read } from '$lib/model/carried';
import { words } from '$lib/words';
import { thumbnailOf } from './thumbnails';

/** Files of one message; the core refuses more (`MOST` of its sent_files.rs). */
export const MOST = 20;
/** A file that is larger is refused by the core in any case (7 MB), so it is not read. */
const LARGEST = 8 * 1024 * 1024;

/** One thing that was added to the message. */
export type Added =
  | { state: 'coming'; id: number; name: string }
  /** `small` is a picture of an image, once there is one; `text` what was pasted, as long as this window has it. */
  | { state: 'here'; id: number; file: SentFile; small: string | null; text: string | null }
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

/** Where the core takes a file from: this window, with what was pasted as long as it has that, or the person, who gave it to the window (0058). */
type Source = { file: File; text: string | null } | { given: GivenFile };

/** Where a message is written. */
class Place {
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

export class SentFiles {
  #here: Place | null = $state.raw(null);
  readonly #places = new Map<string, Place>();
  #made = 0;
  /** What was asked of the core last: it is asked one thing after the other. */
  #last: Promise<void> = Promise.resolve();
  /** A message is on its way. */
  #sending: Promise<void> = Promise.resolve();

  added: readonly Added[] = $derived(this.#here?.added ?? []);
  /** What the message would bring now. */
  files: readonly SentFile[] = $derived(this.added.filter(isHere).map(({ file }) => file));
  /** One is on its way to the core. */
  coming: boolean = $derived(this.added.some(({ state }) => state === 'coming'));

  constructor(
    private readonly backend: Backend,
    private readonly problem: (thrown: unknown) => void,
  ) {}

  /** The person writes somewhere else. */
  moved(of: DraftOf | null): void {
    const place = of && (this.#places.get(keyOf(of)) ?? new Place(of));
    this.#here = place;
    if (!place) return;
    this.#places.set(keyOf(place.of), place);
    if (!place.known) this.#load(place);
  }

  /** The first message of a session was sent: what was added meanwhile belongs to the session. */
  began(before: DraftOf, now: DraftOf): void {
    const place = this.#places.get(keyOf(before));
    if (!place || place !== this.#here) return this.moved(now);
    this.#places.delete(keyOf(before));
    place.of = now;
    this.#places.set(keyOf(now), place);
  }

  /** The core has put files back into the message of a session. */
  cameBack(sessionId: string, files: readonly SentFile[]): void {
    const place = this.#places.get(keyOf({ type: 'session', sessionId }));
    if (!place || files.length === 0) return;
    for (const { sha256 } of files) place.gone.delete(sha256);
    place.known = false;
    if (place === this.#here) this.#load(place);
  }

  /** Adds files to the message that is being written; folders are none. */
  add(files: readonly File[], folders: readonly string[] = []): void {
    const place = this.#here;
    if (place) this.#add(place, files.map(withoutText), folders);
  }

  /** The same of what the person gave to the window, where the web view does not hand it to the page. */
  take({ files, folders }: GivenFiles): void {
    const place = this.#here;
    if (place) this.#add(place, files.map((given) => ({ given })), folders);
  }

  #add(place: Place, files: readonly Source[], folders: readonly string[] = []): void {
    for (const folder of folders) this.#refuse(place, words.sentFiles.isFolder(folder), words.sentFiles.openFolder);
    const room = Math.max(0, MOST - place.added.filter(({ state }) => state !== 'refused').length);
    for (const source of files.slice(0, room)) this.#come(place, source);
    if (files.length > room) this.#refuse(place, words.sentFiles.tooMany(MOST, files.length - room), words.sentFiles.tooManyAction);
  }

  /** True where a paste is not for the field: it brings files, or a text that is rather one. `read` reads what the web view does not tell of. */
  paste(clipboard: Carried, read: () => Promise<Read>): boolean {
    const place = this.#here;
    const paste = place && pasted(clipboard);
    if (!paste) return false;
    if (paste.kind === 'files') this.#add(place, paste.files.map(withoutText));
    else if (paste.kind === 'text') this.#come(place, { file: new File([paste.text], words.sentFiles.pastedText, { type: 'text/plain' }), text: paste.text });
    else if (paste.kind === 'hidden') void this.#ask(place);
    else void this.#read(place, read);
    return paste.kind !== 'untold';
  }

  async #read(place: Place, read: () => Promise<Read>): Promise<void> {
    // A clipboard that cannot be read, or has nothing in it, brings nothing, as in any other field.
    const files = await read().then(images).catch(() => []);
    this.#add(place, files.map(withoutText));
  }

  /** Takes the files that the shell finds in the clipboard. */
  async #ask(place: Place): Promise<void> {
    try {
      const reply = await this.backend.submit({ type: 'paste' });
      if (reply.type !== 'given') throw new Error(`The reply to paste was ${reply.type}.`);
      this.#add(place, reply.given.files.map((given) => ({ given })), reply.given.folders);
    } catch (thrown) {
      this.problem(thrown);
    }
  }

  /** Takes something out of the message. */
  remove(id: number): void {
    const place = this.#here;
    const added = place?.added.find((it) => it.id === id);
    if (!place || !added) return;
    place.put(id, null);
    if (!isHere(added)) return;
    place.gone.add(added.file.sha256);
    this.#next(async () => {
      try {
        await this.backend.submit({ type: 'drop_file', of: place.of, sha256: added.file.sha256 });
      } catch (thrown) {
        place.gone.delete(added.file.sha256);
        place.added = [...place.added, added];
        this.problem(thrown);
      }
    });
  }

  /** A message is sent with these: they leave what is being written. What is returned puts them back, where it could not be sent. */
  leave(files: readonly SentFile[]): () => void {
    const place = this.#here;
    if (!place || files.length === 0) return () => {};
    const leaves = (added: Added) => isHere(added) && files.some(({ sha256 }) => sha256 === added.file.sha256);
    const gone = place.added.filter(leaves);
    place.added = place.added.filter((added) => !leaves(added));
    for (const { sha256 } of files) place.gone.add(sha256);
    return () => {
      place.added = [...gone.filter(({ id }) => !place.has(id)), ...place.added];
      for (const { sha256 } of files) place.gone.delete(sha256);
    };
  }

  /** Waits with what is added until a message is sent: the first one of a session makes the place that the next one is written in. */
  hold(): () => void {
    let release = () => {};
    this.#sending = new Promise((resolve) => (release = resolve));
    return release;
  }

  #refuse(place: Place, message: string, action: string | null): void {
    place.added = [...place.added, { state: 'refused', id: ++this.#made, message, action }];
  }

  #come(place: Place, source: Source): void {
    const id = ++this.#made;
    const { name } = 'given' in source ? source.given : source.file;
    place.added = [...place.added, { state: 'coming', id, name }];
    this.#next(() => this.#take(place, id, source));
  }

  #next(act: () => Promise<void>): void {
    this.#last = this.#last.then(act).catch((thrown: unknown) => this.problem(thrown));
  }

  async #take(place: Place, id: number, source: Source): Promise<void> {
    await this.#sending;
    // The person took it out again.
    if (!place.has(id)) return;
    try {
      const content = 'given' in source ? null : await contentOf(source.file);
      const { of } = place;
      const reply = await this.backend.submit(taking(of, source, content));
      if (reply.type !== 'took_file') throw new Error(`The reply to a file was ${reply.type}.`);
      const { sha256 } = reply.file;
      await this.#sending;
      if (place.of !== of) {
        await this.backend.submit({ type: 'drop_file', of, sha256 });
        return await this.#take(place, id, source);
      }
      // The core keeps a file once.
      const isThere = place.added.some((added) => isHere(added) && added.file.sha256 === sha256);
      if (!place.has(id)) {
        if (isThere) return;
        place.gone.add(sha256);
        await this.backend.submit({ type: 'drop_file', of, sha256 });
        return;
      }
      place.gone.delete(sha256);
      const text = 'given' in source ? null : source.text;
      place.put(id, isThere ? null : { state: 'here', id, file: reply.file, small: null, text });
      if (!isThere) await this.#look(place, id, reply.file, content);
    } catch (thrown) {
      const { message, action } = thrown instanceof Refusal ? thrown : asErrorInfo(thrown);
      place.put(id, { state: 'refused', id, message, action });
    }
  }

  /** What the core has of a message: after a restart, and where another process wrote it. */
  #load(place: Place): void {
    const { of } = place;
    // Without an answer it is asked for again when the person comes back.
    const answer = ask(this.backend, { type: 'draft', of }).then(({ files }) => files, () => null);
    this.#next(async () => {
      const files = await answer;
      if (files === null || place.of !== of) return;
      const is = ({ sha256 }: SentFile) => (added: Added) => isHere(added) && added.file.sha256 === sha256;
      const before = files.filter((file) => !place.gone.has(file.sha256) && !place.added.some(is(file)));
      const added = before.map((file): Here => ({ state: 'here', id: ++this.#made, file, small: null, text: null }));
      place.added = [...added, ...place.added];
      place.known = true;
      for (const { id, file } of added) await this.#look(place, id, file, null);
    });
  }

  /** Makes the small picture of an image. One that cannot be made leaves the sign of an image. */
  async #look(place: Place, id: number, { name, sha256, content }: SentFile, data: string | null): Promise<void> {
    if (content.type !== 'image') return;
    try {
      const whole = data === null ? dataOf((await ask(this.backend, { type: 'sent_picture', name, sha256 })).picture) : dataOf({ kind: content.kind, data });
      const small = await thumbnailOf(whole);
      const added = place.added.find((it) => it.id === id);
      if (added?.state === 'here') place.put(id, { ...added, small });
    } catch {
      // As above.
    }
  }
}

const withoutText = (file: File): Source => ({ file, text: null });

const taking = (of: DraftOf, source: Source, content: string | null): Op =>
  'given' in source ? { type: 'take_given', of, number: source.given.number } : { type: 'take_file', of, name: source.file.name, data: content ?? '' };

/** The file as the core takes it, in base64. */
function contentOf(file: File): Promise<string> {
  if (file.size > LARGEST) throw new Refusal(words.sentFiles.tooLarge(file.name), words.sentFiles.tooLargeAction);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(file.size === 0 ? '' : String(reader.result).slice(String(reader.result).lastIndexOf(',') + 1));
    reader.onerror = () => reject(new Refusal(words.sentFiles.unreadable(file.name), words.sentFiles.unreadableAction));
    reader.readAsDataURL(file);
  });
}
