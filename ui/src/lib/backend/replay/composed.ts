// Drafts, earlier messages and prompts of a scene. Drafts outlive a reload, as the core's do.

import type { Answer } from '$lib/generated/Answer';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { Query } from '$lib/generated/Query';
import { error } from './fixtures';
import { attachmentsIn } from './attachments';

const keyOf = (of: DraftOf) => `draft ${of.type === 'session' ? of.sessionId : of.projectId}`;

export function keepDraft({ of, text }: { of: DraftOf; text: string }): void {
  if (text === '') sessionStorage.removeItem(keyOf(of));
  else sessionStorage.setItem(keyOf(of), text);
}

const EARLIER = [
  'Is the order of the sources tested?',
  'Compare these:\n- flags\n- variables',
  'How does the config loader work?',
];

const PROMPTS = [
  {
    name: 'explain',
    description: 'Explain it to a newcomer',
    takesArguments: false,
    text: 'Explain this project to somebody who is new to it.',
  },
  {
    name: 'review',
    description: 'Look for mistakes in a file',
    takesArguments: true,
    text: 'Review $ARGUMENTS. Name each mistake with its line.',
  },
];

export function composed(query: Extract<Query, { type: 'draft' | 'messages' | 'prompts' | 'prompt' }>): Answer {
  switch (query.type) {
    case 'draft':
      return { type: 'draft', text: sessionStorage.getItem(keyOf(query.of)), files: attachmentsIn(query.of) };
    case 'messages':
      return { type: 'messages', messages: EARLIER.slice(0, query.limit) };
    case 'prompts':
      return { type: 'prompts', prompts: PROMPTS.map(({ text: _, ...prompt }) => prompt), problems: [] };
    case 'prompt': {
      const found = PROMPTS.find(({ name }) => name === query.name);
      if (!found)
        throw error(
          'usage',
          `The prompt ${query.name} cannot be used: it is not a file.`,
          'Look at its file in the folder prompts, beside config.toml.',
        );
      return { type: 'prompt', text: found.text.replaceAll('$ARGUMENTS', query.arguments) };
    }
  }
}
