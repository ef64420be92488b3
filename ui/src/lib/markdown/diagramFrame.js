// Runs in the frame of diagrams, never in the window: a frame without an origin, whose policy lets it load nothing but this and the library.
// It takes a source and says what was drawn. Not here: what is drawn at all, and where it is shown (diagrams.ts).

(() => {
  const { mermaid } = globalThis;
  const FIXED = {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    htmlLabels: false,
    maxTextSize: 10_000,
    maxEdges: 60,
    fontFamily: 'system-ui, sans-serif',
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    // A source may choose its colours and nothing else.
    secure: [...Object.keys(mermaid.mermaidAPI.defaultConfig), 'themeCSS', 'dompurifyConfig', 'altFontFamily'].filter(
      (key) => key !== 'theme' && key !== 'themeVariables',
    ),
  };
  let count = 0;

  async function draw(source, dark) {
    mermaid.initialize({ ...FIXED, theme: dark ? 'dark' : 'neutral' });
    count += 1;
    const { svg } = await mermaid.render(`diagram${count}`, source);
    const place = document.createElement('div');
    place.innerHTML = svg;
    const drawn = place.querySelector('svg');
    const [, , width, height] = (drawn.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
    drawn.setAttribute('width', width);
    drawn.setAttribute('height', height);
    return { svg: new XMLSerializer().serializeToString(drawn), width, height };
  }

  addEventListener('message', ({ source: from, data }) => {
    if (from !== parent) return;
    draw(data.source, data.dark).then(
      (drawn) => parent.postMessage({ id: data.id, ...drawn }, '*'),
      () => parent.postMessage({ id: data.id, svg: null }, '*'),
    );
  });
  // The policy of the frame stands behind this script.
  addEventListener('DOMContentLoaded', () => parent.postMessage({ id: 0 }, '*'));
})();
