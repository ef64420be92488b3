// English, a file for each page of the window.

export { answer, asked, chat, entry, message, step, turn, turnEnd } from './chat';
export { common } from './common';
export { composer, slash } from './composer';
export { connect } from './connect';
export { bounds, context, facts, spending } from './context';
export { changeBar, diff, findings, hunk, preview } from './diff';
export { exporting } from './export';
export { compared, comparedRoutes, figures, slowest, totals, turnColumns, turnTable } from './figures';
export { modelChoice } from './modelChoice';
export { changedRows, changes, files, panel, replayed } from './panel';
export { errorCard, opening, problems } from './problems';
export { finding, palette, shortcuts } from './finding';
export { reading } from './reading';
export { rewind, rewound, rewoundFiles } from './rewind';
export { routes } from './routes';
export { contextMenu } from './contextMenu';
export { editor, previewPane } from './editor';
export { layout } from './layout';
export { shortcuts } from './shortcuts';
export { sidebar } from './sidebar';
export { sent, sentMessage } from './sent';
export { settings } from './settings';
export { columns, spanFacts, spans, spentOn, steps } from './spans';
export { approval, pause, phaseBar, questions, repeats, tool, writeBox } from './tools';
export { inspectedCall, inspectedTool, inspectedWrite, inspector, rawResponse, timeline, trace, traceList } from './trace';
export { did, resuming, status, stopping, toolStates } from './turn';
export { empty, tour, welcome } from './welcome';
