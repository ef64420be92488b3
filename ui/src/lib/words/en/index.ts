// English, a file for each page of the window.

export { composer } from './composer';
