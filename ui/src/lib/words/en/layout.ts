// The frame of the window.

export const layout = {
  panelWidth: 'Width of the side panel',
  closeSidebar: 'Close the sidebar',
  closePanel: 'Close the side panel',
};
