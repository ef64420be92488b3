// The frame of the window.

export const layout = {
  panelWidth: 'Width of the side panel',
  closePanel: 'Close the side panel',
};
