// Files that a message names, and those that came with it.

export const naming = {
  list: 'Files and folders',
  reading: 'Still reading the names of this folder',
  comes: 'Comes with the message',
  isText: 'no such file, stays text',
  left: (why: string) => `does not come along: ${why}`,
  listing: 'its list',
  came: 'Came with the message',
  held: 'unchanged since it was given before',
  cut: 'cut',
};
