// Finding: the palette, and the bar that finds in what is open.

export const palette = {
  title: 'Go to anything',
  placeholder: 'Go to a session, a command, or words of a conversation',
  matches: 'Matches',
  none: 'Nothing matches.',
  said: 'In conversations',
  filling: 'Some sessions are still being prepared for searching. There may be more to find.',
  failed: 'Conversations cannot be searched now.',
  aTitle: 'Title',
  you: 'You',
  model: 'The model',
  branch: 'in another branch',
  untitled: 'New chat',
};

export const finding = {
  inChat: 'Find in this conversation',
  inFile: 'Find in this file',
  previous: 'Previous',
  next: 'Next',
  close: 'Close',
  withKeys: (label: string, keys: string) => `${label} (${keys})`,
  none: 'Nothing found',
  place: (number: string, all: string) => `${number} of ${all}`,
  looking: 'Looking…',
  failed: 'Search is not available now',
};
