// Where an answer and a file are read, and what of them is copied.

import { count } from '$lib/model/words';

export const reading = {
  // Copying.
  copy: 'Copy',
  copyMessage: 'Copy the message',
  copyAnswer: 'Copy answer',
  copyTurn: 'Copy turn',
  copyTable: 'Copy table',
  copyCode: 'Copy code',
  // A turn as Markdown.
  asked: 'Asked',
  answered: 'Answered',

  // Blocks.
  code: 'Code',
  table: 'Table',
  diagram: 'Diagram',
  source: 'Source',
  copySource: 'Copy source',
  large: 'Enlarge',
  plainText: 'text',
  lines: (n: number) => count(n, 'line'),
  wrap: 'Wrap',
  done: 'done:',
  toDo: 'to do:',
  notes: 'Footnotes',
  noteMark: (n: number) => `Footnote ${n}`,
  backToMark: (n: number) => `Back to footnote mark ${n}`,

  // Links, paths and pictures.
  /** Its address and a bracket follow. */
  image: (description: string) => `[image: ${description || 'no description'}, `,
  openFile: (file: string, line: number | null) =>
    `Open ${file}${line === null ? '' : ` at line ${line.toLocaleString('en')}`}`,

  // The viewer.
  back: 'Back to the files',
  copyPath: 'Copy path',
  reveal: 'Show in the file manager',
  edit: 'Open in editor',
  tryAgain: 'Try again',
  emptyFile: 'The file is empty.',
  pictureSize: (width: number, height: number) => `${width} × ${height} pixels`,
  linesOf: (file: string) => `Lines of ${file}`,
};
