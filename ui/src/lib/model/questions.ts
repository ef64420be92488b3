// What a person has said so far to the questions of the model (A8). Pure.

import type { Question } from '$lib/generated/Question';
import type { QuestionAnswer } from '$lib/generated/QuestionAnswer';

/** To one question: options, and words of the person's own. */
export interface Said {
  chosen: string[];
  own: string;
}

export const unsaid = (): Said => ({ chosen: [], own: '' });

/** The answers, or null while one is missing. */
export function answersOf(questions: readonly Question[], said: readonly Said[]): QuestionAnswer[] | null {
  const answers = questions.map(({ id, kind, options }, index) => {
    const { chosen, own } = said[index] ?? unsaid();
    // In the order in which they are offered, whatever was clicked first.
    const picked = kind === 'yes_no' ? chosen : options.filter((option) => chosen.includes(option));
    const words = own.trim() === '' || kind === 'yes_no' ? [] : [own.trim()];
    return { id, answer: [...picked, ...words] };
  });
  return answers.every(({ answer }) => answer.length > 0) ? answers : null;
}
