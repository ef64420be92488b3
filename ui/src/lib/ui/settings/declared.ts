// What a page needs to show settings that are declared, and to change them.

import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { Settings } from '$lib/generated/Settings';
import type { SettingsChange } from '$lib/generated/SettingsChange';

export interface Declared {
  settings: Settings;
  /** What is in force in the project that is open; null without one. */
  project: ProjectSettings | null;
  onchange: (change: SettingsChange) => void;
  /** Takes a setting back to what it is without the person's file; by its key there. */
  onreset: (path: string) => void;
}
