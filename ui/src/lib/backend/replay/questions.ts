// Turns in which the model asks the person (A8), and how they go on.

import type { Question } from '$lib/generated/Question';
import type { QuestionsAnswer } from '$lib/generated/QuestionsAnswer';
import { error } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';

const QUESTIONS: Question[] = [
  {
    id: 'format',
    question: 'Which format should the settings have from now on?',
    kind: 'choice',
    options: ['TOML, as today', 'YAML', 'JSON with comments'],
  },
  {
    id: 'read',
    question: 'Which sources are still to be read?',
    kind: 'several',
    options: ['The file', 'The environment', 'The flags'],
  },
  { id: 'break', question: 'May old files stop working?', kind: 'yes_no', options: [] },
];

export const questioning: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(300)
    .say('Before I plan this, I need to know what you want.')
    .call('call-1', 'ask_user', { questions: QUESTIONS })
    .end('tool_call', 'tool_calls')
    .tools()
    .event({
      type: 'asked',
      digest: 'digest of questions',
      of: { type: 'questions', toolCallId: 'call-1', questions: QUESTIONS },
    });

export function afterQuestions(recording: Recording, answer: QuestionsAnswer): Recording {
  const went = recording.event({
    type: 'answered',
    digest: 'digest of questions',
    given: { type: 'answered', answer },
  });
  if (answer.type === 'answered')
    went.result('3 answers', answer.answers.map(({ id, answer: said }) => `${id}: ${said.join(', ')}`).join('\n'), 0);
  else went.result('not answered', '', 0, 'denied', error('tool_denied', 'The user declined to answer.', ''));
  return went.end('tools_done').action().wait(200).say('Then this is the plan.').end('answered', 'stop').completed();
}
