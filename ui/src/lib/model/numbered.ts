// A tool's result as two columns. Lines that bring their own number (`read_file`: number, tab, text) keep it, so that the
// gutter shows the file's lines; a result without such lines is counted from 1.

export interface Numbered {
  numbers: string;
  lines: string;
}

const OWN = /^(\d{1,9})\t/;

export function numbered(text: string): Numbered {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  if (!lines.some((line) => OWN.test(line))) {
    return { numbers: lines.map((_, index) => index + 1).join('\n'), lines: lines.join('\n') };
  }
  return {
    numbers: lines.map((line) => OWN.exec(line)?.[1] ?? ' ').join('\n'),
    lines: lines.map((line) => line.replace(OWN, '')).join('\n'),
  };
}
