// What a recording says where nothing else is asked for.

import type { Given } from '$lib/generated/Given';
import type { SpanStatus } from '$lib/generated/SpanStatus';
import type { ToolStatus } from '$lib/generated/ToolStatus';
import type { Update } from '$lib/generated/Update';
import type { WriteStatus } from '$lib/generated/WriteStatus';

export interface Beat {
  afterMs: number;
  update: Update;
}

/** A plain yes, and a plain no. */
export const YES: Given = { type: 'allowed', edited: null, kept: null };
export const NO: Given = { type: 'rejected', reason: null, stopped: false };

export const TOOLS = ['list_files', 'read_file', 'search_files', 'file_info', 'write_plan_begin'];
/** What a span says of how a call, or a write, ended (J2). */
export const OF_TOOL: Record<ToolStatus, SpanStatus> = {
  ok: 'ok',
  denied: 'refused',
  duplicate: 'refused',
  reused: 'ok',
  cancelled: 'stopped',
  failed: 'failed',
  timed_out: 'failed',
  malformed: 'failed',
};
export const OF_WRITE: Record<WriteStatus, SpanStatus> = {
  written: 'ok',
  rejected: 'refused',
  discarded: 'stopped',
  failed: 'failed',
  unknown: 'failed',
};
export const NO_USAGE = {
  promptTokens: null,
  completionTokens: null,
  reasoningTokens: null,
  cachedTokens: null,
  estimated: false,
};
