// An icon for each tool Orion brings; any other tool gets the wrench.

import FilePen from '@lucide/svelte/icons/file-pen';
import FileText from '@lucide/svelte/icons/file-text';
import FolderTree from '@lucide/svelte/icons/folder-tree';
import Info from '@lucide/svelte/icons/info';
import MessageCircleQuestion from '@lucide/svelte/icons/message-circle-question-mark';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import Search from '@lucide/svelte/icons/search';
import Wrench from '@lucide/svelte/icons/wrench';

const ICONS = new Map([
  ['list_files', FolderTree],
  ['read_file', FileText],
  ['search_files', Search],
  ['file_info', Info],
  ['write_plan_begin', FilePen],
  ['ask_user', MessageCircleQuestion],
  ['run_command', SquareTerminal],
]);

export function toolIcon(name: string): typeof Wrench {
  return ICONS.get(name) ?? Wrench;
}
