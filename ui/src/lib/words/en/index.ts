// English, a file for each page of the window.

export { common } from './common';
export { composer } from './composer';
export { compared, figures, slowest, totals, turnTable } from './figures';
export { routes } from './routes';
export { inspectedCall, inspectedTool, inspectedWrite, inspector, rawResponse, timeline, trace, traceList } from './trace';
