// The first thing that a person sees, and what stands where there is no conversation yet.

export const welcome = {
  title: 'Ask about your files',
  sentences: [
    'Orion answers questions about a folder on this computer, in plain words.',
    'It looks only into the files that a question needs, and you see each one as it does.',
    'It can write files too: it always shows you the change first, and writes nothing that you have not approved.',
  ],
  open: 'Open a folder',
  tour: 'Take the tour',
  tourAgain: 'Take the tour again',
  tourHint: 'The tour takes a minute, with a sample folder and a built-in demo. Nothing leaves this computer.',
};

export const empty = {
  openTitle: 'Open a folder to begin',
  openText:
    'Orion reads files in it only when a message needs them, and shows you each one. You can also drop a folder here.',
  open: 'Open folder',
  ask: (project: string) => `Ask about ${project}`,
  askText:
    'Orion can list, read, search and write files in this folder. It shows each step, and writes nothing before you approve it.',
  first: 'First messages',
  recent: 'Opened before',
  other: 'Another folder',
  connected: (endpoint: string, models: string) => `Connected to ${endpoint}, ${models} available.`,
};
