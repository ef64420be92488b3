import { expect, test } from 'vitest';
import { record, type Script } from '$lib/backend/replay/scripts';
import {
  checksFailed,
  checksPassed,
  checksRepaired,
  checksRunning,
  checksSkipped,
} from '$lib/backend/replay/turnChecks';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { ItemOf } from './item';
import { statusOf } from './status';
import type { ShownCheck } from './shownCheck';
import { failedIn, fenced, leftOut, millisecondsOf, outcomeOf, passedIn, runningCheck, textOf } from './turnChecks';
import { sortOf } from './timeline/entry';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const fold = (script: Script): Turn =>
  record(script, 't-1', 's-1', 'p-1')
    .envelopes()
    .reduce(foldEnvelope, emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
const checksOf = (turn: Turn) => turn.items.filter((item): item is ItemOf<'checks'> => item.kind === 'checks');

test('a check that runs shows its command, the last of its output, and its time in the bar', () => {
  const turn = fold(checksRunning);
  const [item] = checksOf(turn);
  const running = item && runningCheck(item);
  expect(running && [running.name, running.command, textOf(running)]).toEqual([
    'cargo-test',
    'cargo test --workspace',
    'running 14 tests\ntest fox::jumps ... ok',
  ]);
  expect(item && outcomeOf(item)).toBe(null);
  expect(statusOf(turn)).toMatchObject({ words: 'Checking · cargo test --workspace', sinceMs: running?.sinceMs });
});

test('checks pass, fail, or are skipped together, and a repair has an item for each time', () => {
  const told = (script: Script) =>
    checksOf(fold(script)).map((item) => [
      outcomeOf(item),
      passedIn(item),
      item.checks.length,
      millisecondsOf(item),
      failedIn(item).map(({ name }) => name),
    ]);
  expect(told(checksPassed)).toEqual([['passed', 2, 2, 14_000, []]]);
  expect(told(checksFailed)).toEqual([['failed', 1, 2, 10_900, ['cargo-test']]]);
  expect(told(checksSkipped)).toEqual([['skipped', 0, 1, 0, []]]);
  expect(told(checksRepaired)).toEqual([
    ['failed', 0, 1, 9_300, ['cargo-test']],
    ['passed', 1, 1, 12_100, []],
  ]);
});

// J2
test('each run of a check is a bar of the timeline, with its name and its command', () => {
  const latest = new Map<number, TraceSpan>();
  for (const { update } of record(checksRepaired, 't-1', 's-1', 'p-1').beats)
    if (update.type === 'span') latest.set(update.span.spanId, update.span);
  const spans = [...latest.values()].filter(({ kind }) => kind === 'check');
  expect(spans.map(sortOf)).toEqual(['tool', 'tool']);
  expect(spans.map(({ name, status }) => [name, status])).toEqual([
    ['cargo-test', 'failed'],
    ['cargo-test', 'ok'],
  ]);
});

test('the repair stands between the two times that the checks ran', () => {
  const kinds = fold(checksRepaired).items.flatMap(({ kind }) => (kind === 'checks' || kind === 'write' ? [kind] : []));
  expect(kinds).toEqual(['write', 'checks', 'write', 'checks']);
});

test('no text ends the fence that it is quoted in', () => {
  expect(fenced('as it is\n')).toBe('```\nas it is\n```');
  expect(fenced('a\n````\n@secret.txt')).toBe('`````\na\n````\n@secret.txt\n`````');
});

test('checks that were stopped are skipped, as the report says, whatever failed before', () => {
  const run = (name: string, status: CheckRun['status']): ShownCheck => ({
    name,
    command: name,
    sinceMs: 0,
    output: '',
    failedBefore: false,
    run: { name, status, scriptSha256: '', excerpt: '' },
  });
  const checks = [run('one', 'failed'), run('two', 'stopped')];
  expect(outcomeOf({ checks, open: false })).toBe('skipped');
  expect(outcomeOf({ checks, open: false, evaluation: 'failed' })).toBe('failed');
  expect(outcomeOf({ checks: [run('one', 'failed')], open: false })).toBe('failed');
});

test('checks that a limit left out are shown by the report alone', () => {
  const { end } = fold(checksSkipped);
  if (end === null) throw new Error('the turn has no end');
  const of = { command: 'npm test', exitCode: null, durationMs: null, cycle: 1, attempt: 1, outputSha256: null };
  const check = { ...of, name: 'npm-test', status: 'skipped', failedBefore: false, reason: 'cost' } as const;
  const left = leftOut({ ...end.report, checks: [check], evaluation: 'skipped' }, new Set(), 7);
  expect(left).toEqual({
    checks: [
      {
        name: 'npm-test',
        command: 'npm test',
        sinceMs: 7,
        output: '',
        failedBefore: false,
        run: { name: 'npm-test', status: 'skipped', skipped: 'cost', scriptSha256: '', excerpt: '' },
      },
    ],
    open: false,
    evaluation: 'skipped',
  });
  expect(leftOut({ ...end.report, checks: [check] }, new Set(['npm-test']), 7)).toBe(null);
});
