// Errors where they happened, and those of no turn.

export const problems = {
  label: 'Problems',
};

export const errorCard = {
  asksToWait: (seconds: number) => `The provider asks to wait ${seconds} s.`,
  openSettings: 'Open settings',
  useUnified: 'Use unified',
  makeRoom: 'Make room',
  cutAndRetry: 'Cut and retry',
  cutWhat: 'Drops the older half of the conversation, without a summary',
  newChat: 'New chat',
  details: 'Details',
  code: (code: string) => `Code: ${code}`,
};
