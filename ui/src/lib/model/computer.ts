// The report of this computer as the window shows it, and as it is copied. Not here: how it looks (ui/computer).

import type { DoctorReport } from '$lib/generated/DoctorReport';
import type { Finding } from '$lib/generated/Finding';
import type { Severity } from '$lib/generated/Severity';
import type { Subject } from '$lib/generated/Subject';
import type { Trouble } from '$lib/generated/Trouble';
import { words } from '$lib/words';
import { plain } from './plain';

const say = words.computer;

/** More than the longest sentence that the core says. */
const MOST = 1_000;
const MARKS: Record<Severity, string> = { error: '✗ ', warning: '! ' };

/** A text of a program, a setting or a server, on one line. */
export const line = (text: string): string => plain(text, MOST);

export type Troubled = Finding & { trouble: Trouble };

/** Errors come before warnings; else the order of the report. */
export function troublesOf({ findings }: DoctorReport): Troubled[] {
  const troubled = findings.filter((finding): finding is Troubled => finding.trouble !== null);
  return [
    ...troubled.filter(({ trouble }) => trouble.severity === 'error'),
    ...troubled.filter(({ trouble }) => trouble.severity !== 'error'),
  ];
}

/** The numbers of errors and of warnings among the troubles. */
export function tallyOf(report: DoctorReport): { errors: number; warnings: number } {
  const troubles = troublesOf(report);
  const errors = troubles.filter(({ trouble }) => trouble.severity === 'error').length;
  return { errors, warnings: troubles.length - errors };
}

/** All that was found, by what it is about. */
export function bySubject({ findings }: DoctorReport): { subject: Subject; findings: Finding[] }[] {
  const subjects = [...new Set(findings.map(({ subject }) => subject))];
  return subjects.map((subject) => ({ subject, findings: findings.filter((finding) => finding.subject === subject) }));
}

/** A finding where it stands alone. That of an endpoint begins with its name. */
export const told = ({ subject, says }: Finding): string =>
  `${say.subjects[subject]}${subject === 'endpoint' ? ' ' : ': '}${line(says)}`;

export const builtAs = ({ version, commit }: DoctorReport): string => plain(say.built(version, commit), 100);

/** The beginning of a report of a fault: a line for each finding, and below it what to do. */
export function reportText(report: DoctorReport): string {
  const found = report.findings.flatMap((finding) => {
    const { trouble } = finding;
    return trouble
      ? [`${MARKS[trouble.severity]}${told(finding)}`, `    ${line(trouble.action)}`]
      : [`  ${told(finding)}`];
  });
  return [builtAs(report), ...found, ''].join('\n');
}
