import { expect, test } from 'vitest';
import { HOSTILE, TROUBLED, WELL } from '$lib/backend/replay/computers';
import { bySubject, reportText, tallyOf, troublesOf } from './computer';

test('what does not work comes before what is only a warning', () => {
  expect(troublesOf(TROUBLED).map(({ subject, trouble }) => [subject, trouble.severity])).toEqual([
    ['endpoint', 'error'],
    ['keychain', 'warning'],
  ]);
  expect(tallyOf(TROUBLED)).toEqual({ errors: 1, warnings: 1 });
  expect(tallyOf(WELL)).toEqual({ errors: 0, warnings: 0 });
});

test('findings of one subject stand together, in the order of the report', () => {
  const groups = bySubject(WELL);
  expect(groups.map(({ subject }) => subject)).toEqual([
    'system',
    'window',
    'display',
    'keychain',
    'settings',
    'data',
    'disk',
    'clock',
    'sandbox',
    'proxy',
    'endpoint',
    'servers',
  ]);
  expect(groups.flatMap(({ findings }) => findings)).toEqual(WELL.findings);
});

test('the copy has a line for each finding, marked by its severity, with what to do below it', () => {
  const [system, , , keychain, ...rest] = TROUBLED.findings;
  const endpoint = rest.find(({ trouble }) => trouble !== null);
  const some = { version: '0.2.0', commit: '5dade4d5+', findings: [system!, keychain!, endpoint!] };
  expect(reportText(some)).toBe(
    [
      'Orion 0.2.0 (5dade4d5+)',
      '  System: Debian 13.1.0, x86_64',
      '! Keychain: none answers',
      `    ${keychain!.trouble!.action}`,
      '✗ Endpoint deepseek: key found in the environment, refuses the key',
      "    Give a key that this server takes: Settings › Models, or the endpoint's environment variable.",
      '',
    ].join('\n'),
  );
  expect(reportText({ ...some, commit: null, findings: [] })).toBe('Orion 0.2.0\n');
});

test('no text of a stranger makes a line of its own, or turns one', () => {
  const { findings } = HOSTILE;
  const lines = reportText(HOSTILE).split('\n');
  expect(lines.length).toBe(1 + findings.length + findings.filter(({ trouble }) => trouble !== null).length + 1);
  expect(lines.slice(1, -1).filter((line) => !/^(?: {2}|! |✗ |\s{4})/.test(line))).toEqual([]);
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/);
});
