// A file that is written, as it reads.

export const rendered = {
  label: 'The file as it reads',
  show: 'Rendered',
  what: 'Show the file as it reads',
  loading: 'Loading the file…',
  none: 'The file cannot be shown as it reads.',
};
