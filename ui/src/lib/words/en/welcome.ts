// The first thing that a person sees, what stands where there is no conversation yet, and the tour.

export const welcome = {
  title: 'Ask about your files',
  sentences: [
    'Orion answers questions about a folder on this computer, in plain words.',
    'It looks only into the files that a question needs, and you see each one as it does.',
    'It can write files too: it always shows you the change first, and writes nothing that you have not approved.',
  ],
  which: 'Which model should answer?',
  other: 'Another one',
  looking: 'Just looking around?',
  tour: 'Take the tour',
  tourAgain: 'Take the tour again',
  tourHint: 'A minute, with a sample folder and a built-in demo. Nothing leaves this computer.',
  connect: 'Connect a model',
  connectHint: 'Orion sends messages, and the parts of files they need, to this address and to nobody else.',
  back: 'Back',
};

export const empty = {
  openTitle: 'Open a folder to begin',
  openText:
    'Orion reads files in it only when a message needs them, and shows you each one. You can also drop a folder here.',
  open: 'Open folder',
  connectTitle: 'Connect a model',
  connectText: 'A model has to answer. Connect one of yours, or see how Orion works with the built-in demo.',
  connect: 'Connect a model',
  ask: (project: string) => `Ask about ${project}`,
  askText:
    'Orion can list, read, search and write files in this folder. It shows each step, and writes nothing before you approve it.',
  first: 'First messages',
  recent: 'Opened before',
  other: 'Another folder',
  connected: (endpoint: string, models: string) => `Connected to ${endpoint}, ${models} available.`,
};

export const tour = {
  label: 'Tour',
  step: (number: number, of: number) => `${number} of ${of}`,
  next: 'Next',
  back: 'Back',
  done: 'Done',
  leave: 'Leave the tour',
  connect: 'Connect a model',
  waiting: 'One moment.',
  parts: {
    ask: {
      title: 'Ask in plain words',
      text: 'This is a small folder with a few notes. The message asks Orion to read a file and to write another one.',
      next: 'Send it',
    },
    step: {
      title: 'Each step, as it happens',
      text: 'Here Orion looked into the folder and read the file that the message names. A step opens to what it found.',
    },
    limit: {
      title: 'A limit from the start',
      text: 'No message can take more steps and calls than this: then the model has to answer. You see it before you send, and Limits changes it.',
    },
    preview: {
      title: 'You see a change first',
      text: 'This would be written, and nothing is on the disk yet. Press Approve or Reject to go on.',
    },
    answer: { title: 'The answer', text: 'It comes last and stays on the page. A file that was written has an Undo.' },
    trace: {
      title: 'What it took',
      text: 'Each call and each step, with its time. Open one to see what was sent and what came back.',
    },
  },
};
