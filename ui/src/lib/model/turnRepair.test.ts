import { describe, expect, it } from 'vitest';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { Item } from './item';
import type { Turn } from './turn';
import { repairAt } from './turnRepair';

const run = (name: string, status: CheckRun['status']): CheckRun => ({ name, status, scriptSha256: '', excerpt: '' });
const checks = (seq: number, ...runs: CheckRun[]): Item => ({
  kind: 'checks',
  seq,
  open: false,
  checks: runs.map((it) => ({
    name: it.name,
    command: '',
    sinceMs: 0,
    output: '',
    failedBefore: it.name === 'old',
    run: it,
  })),
});
const written = (seq: number, path: string) =>
  ({ kind: 'write', seq, path, stage: { kind: 'done', outcome: { status: 'written' } } }) as unknown as Item;

const FAILED = checks(10, run('test', 'failed'), run('old', 'failed'), run('lint', 'passed'));
const END = {} as Turn['end'];

describe('V2: the repair of a turn', () => {
  it('is none where no phase follows the checks', () => {
    expect(repairAt({ items: [written(2, 'a'), FAILED], phaseSeqs: [1, 10], end: END }, FAILED)).toBeNull();
  });

  it('is under way, then changed nothing, or was not checked again', () => {
    const begun = { items: [FAILED], phaseSeqs: [1, 10, 14], end: null };
    expect(repairAt(begun, FAILED)).toEqual({ failed: ['test'], written: [], end: null });
    expect(repairAt({ ...begun, end: END }, FAILED)?.end).toBe('unchanged');
    const stopped = { ...begun, items: [FAILED, written(15, 'a')], end: END };
    expect(repairAt(stopped, FAILED)).toEqual({ failed: ['test'], written: ['a'], end: 'skipped' });
  });

  it('is told once, below the checks that ran after it', () => {
    const items = [written(2, 'before'), FAILED, written(15, 'a'), checks(20, run('test', 'passed'))];
    const turn = { items, phaseSeqs: [1, 10, 14, 20], end: END };
    expect(repairAt(turn, FAILED)).toBeNull();
    expect(repairAt(turn, items[3]!)).toEqual({ failed: ['test'], written: ['a'], end: 'passed' });
  });
});
