// The font of the system's own windows. WebKitGTK does not know it as `system-ui`, and all web views know it as the font of menus.

export function applySystemFont(): void {
  const { style } = document.documentElement;
  style.font = 'menu';
  const { fontFamily } = getComputedStyle(document.documentElement);
  style.font = '';
  if (fontFamily !== '') style.setProperty('--font', [fontFamily, 'sans-serif'].join(', '));
}
