// A turn whose message has attachments that are not of the project.

import type { Attachment } from '$lib/generated/Attachment';
import type { Settings } from '$lib/generated/Settings';
import { settings } from './fixtures';
import { pictureOf } from './pictures';
import { Recording } from './recording';
import { attached, keptBody } from './attachments';
import type { Script } from './scripts';

const NOTES = 'Seen at dusk:\n- two cubs\n- one vixen\n';
const FILES: readonly Attachment[] = [
  { name: 'sightings.txt', sha256: 'a1'.repeat(32), bytes: NOTES.length, content: { type: 'text', lines: 3 } },
  {
    name: 'den at dusk.png',
    sha256: 'b2'.repeat(32),
    bytes: 864,
    content: { type: 'image', kind: 'image/png', width: 240, height: 135 },
  },
];

export const withAttachments: Script = (ids, text, startMs) => {
  const recording = new Recording(ids, text, startMs);
  keptBody('a1'.repeat(32), NOTES);
  keptBody('b2'.repeat(32), pictureOf('docs/den.png').data);
  attached(recording, FILES);
  return recording
    .wait(40)
    .action()
    .wait(200)
    .say('Your notes say two cubs, and the picture shows their den.')
    .end('answered', 'stop')
    .completed();
};

/** The person said that all models take images. */
export function seeing(): Settings {
  const connected = settings('connected');
  return { ...connected, endpoints: connected.endpoints.map((endpoint) => ({ ...endpoint, takesImages: true })) };
}
