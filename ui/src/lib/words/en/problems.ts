// Errors where they happened, and those of no turn.

export const problems = {
  label: 'Problems',
};

export const errorCard = {
  asksToWait: (seconds: number) => `The provider asks to wait ${seconds} s.`,
  openSettings: 'Open settings',
  useUnified: 'Use unified',
  makeRoom: 'Sum up the conversation',
  cutAndRetry: 'Leave out the older half, and retry',
  cutWhat: 'The older half of the conversation is not sent, and there is no summary of it',
  newChat: 'New chat',
  details: 'Details',
  code: (code: string) => `Code: ${code}`,
};
