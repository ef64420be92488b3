// Reports of a computer, as the core gives them: one where all is well, and one with troubles.

import type { DoctorReport } from '$lib/generated/DoctorReport';
import type { Finding } from '$lib/generated/Finding';
import type { Severity } from '$lib/generated/Severity';
import type { Subject } from '$lib/generated/Subject';
import type { TroubleKind } from '$lib/generated/TroubleKind';
import { HOSTILE_TEXTS } from './hostileTexts';

/** The time that the endpoints take to answer. */
const LOOK_MS = 200;

const fine = (subject: Subject, says: string): Finding => ({ subject, says, trouble: null });
const troubled = (subject: Subject, says: string, kind: TroubleKind, severity: Severity, action: string): Finding => ({
  subject,
  says,
  trouble: { kind, severity, action },
});

export const WELL: DoctorReport = {
  version: '0.2.0',
  commit: '5dade4d5',
  findings: [
    fine('system', 'Debian 13.1.0, x86_64'),
    fine('window', 'WebKitGTK 2.50.1'),
    fine('display', 'Wayland, painted by the graphics processor'),
    fine('keychain', 'answers'),
    fine('settings', 'read without a fault'),
    fine('data', '63.0 MB, sound, in the usual place'),
    fine('disk', '182.4 GB free on the disk of the data folder'),
    fine('clock', 'as servers have it'),
    fine('sandbox', 'full: every attempt to get out of it failed'),
    fine('proxy', 'none'),
    fine('endpoint', 'deepseek: key in the keychain, answers in 212 ms, 2 models'),
    fine('endpoint', 'ollama: on this computer, port 11434, no key, answers in 3 ms, 14 models'),
    fine('servers', 'Ollama'),
  ],
};

const of = (subject: Subject) => WELL.findings.filter((finding) => finding.subject === subject);

export const TROUBLED: DoctorReport = {
  ...WELL,
  findings: [
    ...of('system'),
    ...of('window'),
    ...of('display'),
    troubled(
      'keychain',
      'none answers',
      'no_keychain',
      'warning',
      "Keys are kept only while Orion runs. Install and unlock a keychain service (gnome-keyring or kwalletmanager), or keep the key in an environment variable and name it in the endpoint's settings.",
    ),
    ...of('settings'),
    ...of('data'),
    ...of('disk'),
    ...of('clock'),
    ...of('sandbox'),
    ...of('proxy'),
    troubled(
      'endpoint',
      'deepseek: key found in the environment, refuses the key',
      'key_refused',
      'error',
      "Give a key that this server takes: Settings › Models, or the endpoint's environment variable.",
    ),
    ...of('endpoint').slice(1),
    ...of('servers'),
  ],
};

/** Of which strangers have written every text. */
export const HOSTILE: DoctorReport = {
  version: HOSTILE_TEXTS[0] ?? '',
  commit: HOSTILE_TEXTS.at(-1) ?? '',
  findings: HOSTILE_TEXTS.flatMap((text, index) => [
    fine('endpoint', text),
    troubled('settings', text, 'settings_wrong', index % 2 === 0 ? 'warning' : 'error', text),
  ]),
};

export async function lookedAt(report: DoctorReport | null = WELL, pace: number): Promise<DoctorReport> {
  if (report === null) return new Promise(() => {});
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS * pace));
  return report;
}
