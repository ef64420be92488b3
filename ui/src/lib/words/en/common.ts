// What is said in several places in the same words.

export const common = {
  cancel: 'Cancel',
  close: 'Close',
  compare: 'Compare',
  copied: 'Copied',
  copy: 'Copy',
  dismiss: 'Dismiss',
  figure: 'Figure',
  retry: 'Retry',
  search: 'Search',
  showEverything: 'Show everything',
  stop: 'Stop',
  tryAgain: 'Try again',
  undo: 'Undo',
};
