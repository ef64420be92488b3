// Where a message is written.

export const composer = {
  message: 'Message',
  placeholder: 'Ask about this project',
  placeholderRunning: (steerKeys: string) => `Enter queues it, ${steerKeys} tells the model now`,
  otherWays: 'Other ways to send',
  giveNow: (steerKeys: string) => `Tell the model now (${steerKeys})`,
  stopAndSend: 'Stop and send now',
  unknownCommand: (name: string) =>
    `There is no command /${name}, so nothing was sent. Press Enter once more to send it as a message.`,
  queue: 'Queue',
  send: 'Send',
  /** Said when the keys of the primary action did nothing. */
  primaryHeld: (primaryKeys: string, steerKeys: string) =>
    `${primaryKeys} did nothing: there is text in the message box. Enter queues it, ${steerKeys} tells the model now. Without text, ${primaryKeys} answers what waits.`,
};

/** Commands that a message may begin with, after a slash. */
export const slash = {
  label: 'Commands',
  text: 'TEXT',
  model: 'NAME',
  compact: 'Sum up the conversation to make room',
  newChat: 'Begin a new chat',
  chooseModel: 'Choose the model of the next message',
  plan: 'Only read: no tool may change anything',
  act: 'All tools, each by its permission',
  undo: 'Undo what the last message wrote',
  changes: 'Show what this session has written',
  exporting: 'Save this session to a file',
  find: 'Find a session, a folder or a command',
  trace: 'Show where the time of the last message went',
  continueFresh: 'Continue with a fresh budget',
  stop: 'Stop the running turn',
  folder: 'Open a folder',
  connect: 'Connect a model',
  settings: 'Open the settings',
  doctor: 'Look at what works on this computer, and what is wrong',
  help: 'List the shortcuts',
};
