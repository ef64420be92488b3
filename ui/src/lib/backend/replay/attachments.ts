// Files that a person sends with a message, as the core keeps them: with the draft, also over a reload, then with the message that waits,
// then with its turn. What a file is, its bytes say. Not here: files of the project (namings.ts).

import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { PictureKind } from '$lib/generated/PictureKind';
import type { PictureView } from '$lib/generated/PictureView';
import type { AttachmentContent } from '$lib/generated/AttachmentContent';
import type { Attachment } from '$lib/generated/Attachment';
import type { Session } from '$lib/generated/Session';
import type { Settings } from '$lib/generated/Settings';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import { error } from './fixtures';
import type { Recording } from './recording';

const MOST = 20;
const TEXT_BYTES = 1024 * 1024;
const IMAGE_BYTES = 7 * 1024 * 1024;
const NAME = 120;
/** How each kind of image begins. */
const BEGINS: readonly [PictureKind, string][] = [
  ['image/png', '\x89PNG\r\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'RIFF'],
];

const keyOf = (of: DraftOf) => `files ${of.type === 'session' ? of.sessionId : of.projectId}`;
const bodyKey = (sha256: string) => `body ${sha256}`;

export function attachmentsIn(of: DraftOf): Attachment[] {
  return JSON.parse(sessionStorage.getItem(keyOf(of)) ?? '[]') as Attachment[];
}

function keep(of: DraftOf, files: readonly Attachment[]): void {
  if (files.length === 0) sessionStorage.removeItem(keyOf(of));
  else sessionStorage.setItem(keyOf(of), JSON.stringify(files));
}

export async function attachmentOp(
  op: Extract<Op, { type: 'attach_file' | 'attach_dropped' | 'remove_attachment' }>,
): Promise<Outcome> {
  const { of } = op;
  // A browser hands files to its page, so none was given in another way.
  if (op.type === 'attach_dropped') throw error('usage', 'This file was not given to the window.', 'Add it again.');
  if (op.type === 'remove_attachment') {
    keep(
      of,
      attachmentsIn(of).filter(({ sha256 }) => sha256 !== op.sha256),
    );
    return { type: 'done' };
  }
  if (attachmentsIn(of).length >= MOST)
    throw error('usage', `A message can bring ${MOST} files.`, 'Take one out, or send two messages.');
  const { file, body } = await taken(named(op.name), op.data);
  sessionStorage.setItem(bodyKey(file.sha256), body);
  const there = attachmentsIn(of);
  if (!there.some(({ sha256 }) => sha256 === file.sha256)) keep(of, [...there, file]);
  return { type: 'attached_file', file };
}

async function taken(name: string, data: string): Promise<{ file: Attachment; body: string }> {
  const content = Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0));
  const kind = BEGINS.find(([, begin]) => atob(data.slice(0, 16)).startsWith(begin))?.[0];
  const made = async (what: AttachmentContent, body: string) => ({
    file: { name, sha256: await digest(body), bytes: content.length, content: what },
    body,
  });
  if (kind) {
    if (content.length > IMAGE_BYTES)
      throw tooLarge(name, 'an image may have 7 MB', 'Make it smaller, then add it again.');
    const size = await createImageBitmap(new Blob([content], { type: kind })).catch(() => ({
      width: 240,
      height: 135,
    }));
    return made({ type: 'image', kind, width: size.width, height: size.height }, data);
  }
  if (content.length > TEXT_BYTES)
    throw tooLarge(
      name,
      'a text may have 1 MB',
      "Put it into the project's folder: there the model can read it in parts.",
    );
  const text = content.includes(0) ? null : new TextDecoder().decode(content);
  if (text === null)
    throw error(
      'file_binary',
      `“${name}” is neither text nor an image.`,
      'Send text, or a PNG, JPEG, GIF or WebP image.',
    );
  return made({ type: 'text', lines: text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0) }, text);
}

const tooLarge = (name: string, most: string, action: string): ErrorInfo =>
  error('usage', `“${name}” is too large: ${most}.`, action);

async function digest(body: string): Promise<string> {
  const hashed = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  return [...new Uint8Array(hashed)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function named(name: string): string {
  const plain = name.replace(/^.*[/\\]/su, '').replace(/[\p{Cc}\p{Cf}]/gu, '');
  return [...plain].slice(0, NAME).join('').trim() || 'file';
}

export function attachmentPicture(name: string, sha256: string): PictureView {
  const data = sessionStorage.getItem(bodyKey(sha256));
  if (data === null)
    throw error('file_unreadable', `“${name}” is no longer kept.`, 'Take it out of the message, and add it again.');
  const kind = BEGINS.find(([, begin]) => atob(data.slice(0, 16)).startsWith(begin))?.[0] ?? 'image/png';
  return { path: name, kind, bytes: atob(data).length, width: 240, height: 135, data };
}

/** The body of a file that a scene begins with. */
export function keptBody(sha256: string, body: string): void {
  sessionStorage.setItem(bodyKey(sha256), body);
}

/** A message waits, or its turn begins: its files leave the draft. */
export function left(of: Session | string, files: readonly Attachment[]): void {
  const drafts: DraftOf[] =
    typeof of === 'string'
      ? [{ type: 'session', sessionId: of }]
      : [
          { type: 'session', sessionId: of.sessionId },
          { type: 'project', projectId: of.projectId },
        ];
  const had = drafts.find((draft) =>
    attachmentsIn(draft).some(({ sha256 }) => files.some((file) => file.sha256 === sha256)),
  );
  if (had)
    keep(
      had,
      attachmentsIn(had).filter(({ sha256 }) => !files.some((file) => file.sha256 === sha256)),
    );
}

/** A message that waited goes back to the draft. */
export function cameBack(sessionId: string, files: readonly Attachment[]): void {
  const of: DraftOf = { type: 'session', sessionId };
  const there = attachmentsIn(of);
  keep(of, [...there, ...files.filter(({ sha256 }) => !there.some((file) => file.sha256 === sha256))]);
}

const coming = new Map<string, readonly Attachment[]>();

/** The next turn of a session has these attachments. Images are refused where nobody said that the model takes them. */
export function attachToNext(
  session: Session,
  { attachments, endpoint, model }: TurnOptions,
  { endpoints, defaultEndpoint }: Settings,
): void {
  if (!attachments?.length) return;
  const asked = endpoints.find(({ name }) => name === (endpoint ?? defaultEndpoint));
  const name = model ?? asked?.model ?? 'demo';
  const takes = asked?.models[name]?.takesImages ?? asked?.takesImages ?? false;
  if (!takes && attachments.some(({ content }) => content.type === 'image')) {
    throw error(
      'takes_no_images',
      `${name} is not known to take images.`,
      'Take the image out, choose another model, or say in Settings, under Models, that this one takes images.',
    );
  }
  left(session, attachments);
  coming.set(session.sessionId, attachments);
}

/** Files in a turn, as the model is given them. */
export function attached(recording: Recording, files: readonly Attachment[]): void {
  const boxes = files.map(({ name, sha256, bytes, content }, index): AttachedFile => {
    const toolCallId = `file_${index + 1}`;
    const result = content.type === 'image' ? '' : (sessionStorage.getItem(bodyKey(sha256)) ?? '');
    recording.calls.push({ toolCallId, name: 'attachment', arguments: { path: name }, permission: 'allow', result });
    const summary =
      content.type === 'image'
        ? `${content.width} × ${content.height}`
        : content.lines === 1
          ? '1 line'
          : `${content.lines} lines`;
    return {
      toolCallId,
      path: name,
      isFolder: false,
      content,
      status: 'ok',
      summary,
      bytes,
      truncated: false,
      sha256,
      error: null,
    };
  });
  recording.event({ type: 'attached', files: boxes });
}

/** The attachments of the turn that begins. */
export function attach(recording: Recording): void {
  const files = coming.get(recording.ids.sessionId);
  coming.delete(recording.ids.sessionId);
  if (files) attached(recording, files);
}
