// Files that a message names, and those that came with it.

export const naming = {
  list: 'Files and folders',
  reading: 'Still reading the names of this folder',
  comes: 'Attached to the message',
  isText: 'no such file, so this stays plain text',
  left: (why: string) => `not attached: ${why}`,
  listing: 'a list of its contents',
  came: 'Files attached to the message',
  held: 'unchanged since it was last attached',
  cut: 'cut',
};
