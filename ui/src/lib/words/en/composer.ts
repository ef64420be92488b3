// Where a message is written.

export const composer = {
  message: 'Message',
  placeholder: 'Ask about this project',
  placeholderRunning: (steerKeys: string) => `Enter queues it, ${steerKeys} gives it now`,
  otherWays: 'Other ways to send',
  giveNow: (steerKeys: string) => `Give it to the model now (${steerKeys})`,
  stopAndSend: 'Stop and send now',
  queue: 'Queue',
  send: 'Send',
};
