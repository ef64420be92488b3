// English, a file for each page of the window.

export { answer, asked, beforeFork, chat, entry, message, step, turn, turnEnd } from './chat';
export { checks } from './checks';
export { turnChecks } from './turnChecks';
export { choices, contextParts, limits, queue } from './choices';
export { commands } from './commands';
export { common } from './common';
export { composer, slash } from './composer';
export { computer } from './computer';
export { connect, endpointDraft } from './connect';
export { bounds, context, facts, spending } from './context';
export { contextMenu } from './contextMenu';
export { changeBar, diff, findings, hunk, preview } from './diff';
export { editor, previewPane } from './editor';
export { exporting } from './export';
export { compared, comparedRoutes, figures, slowest, totals, turnColumns, turnTable } from './figures';
export { finding, palette } from './finding';
export { firstModel, folderFound, folderGone, keyForm, modelList } from './firstModel';
export { layout } from './layout';
export { modelChoice } from './modelChoice';
export { naming } from './naming';
export { changedRows, changes, files, panel, replayed } from './panel';
export { errorCard, problems } from './problems';
export { rail } from './rail';
export { reading } from './reading';
export { rendered } from './rendered';
export { rewind, rewound, rewoundFiles } from './rewind';
export { routes } from './routes';
export { sent, sentMessage } from './sent';
export { attachments } from './attachments';
export { settings } from './settings';
export { shell } from './shell';
export { shellFiles } from './shellFiles';
export { shortcuts } from './shortcuts';
export { sidebar } from './sidebar';
export { columns, spanFacts, spans, spentOn, steps } from './spans';
export { approval, pause, phaseBar, questions, repeats, tool, toolNames, writeBox } from './tools';
export {
  inspectedCall,
  inspectedTool,
  inspectedWrite,
  inspector,
  rawResponse,
  timeline,
  trace,
  traceList,
} from './trace';
export { did, resuming, status, stopping, toolStates } from './turn';
export { tour } from './tour';
export { empty, welcome } from './welcome';
