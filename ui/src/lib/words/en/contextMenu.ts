// The menu of the right mouse button.

export const contextMenu = {
  label: 'Actions',
  copy: 'Copy',
  openLink: 'Open link',
  copyLink: 'Copy link',
  openFile: 'Open file',
  reveal: 'Show in the file manager',
  copyPath: 'Copy path',
  copyCode: 'Copy the code',
  trace: 'Look up in the trace',
};
