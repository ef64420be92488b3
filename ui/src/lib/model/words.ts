// Numbers and codes as words for people. Not here: the sentences of errors, which come from the core.

/** Made once: making one costs a hundred times what using it does, and the phase bar counts several things in each frame. */
const GROUPED = new Intl.NumberFormat('en');

export function number(n: number): string {
  return GROUPED.format(n);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${GROUPED.format(n)} ${n === 1 ? one : many}`;
}

/** `4 ms`, `1.2 s`, `2 s`, `48 s`, `3 min`, `2 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 59_500) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_570_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

/** `$0.0042`, `$1.25`. */
export function dollars(amount: number): string {
  return `$${amount > 0 && amount < 0.01 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

/** `212 B`, `4.2 KB`, `1.3 MB`. */
export function bytes(n: number): string {
  if (n < 1_000) return `${n} B`;
  for (const [size, unit] of [
    [1e3, 'KB'],
    [1e6, 'MB'],
    [1e9, 'GB'],
  ] as const) {
    const value = n / size;
    if (value < 999.5 || unit === 'GB') return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
  }
  return `${n} B`;
}

/** `just now`, `4 min ago`, `2 h ago`, `yesterday`, `12 Mar`. */
export function ago(atMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - atMs) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 48 * 60) return 'yesterday';
  return new Date(atMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

/** The arguments' one value that matters to a person: what is sought before a path before anything short. That it is about the whole project says least. */
export function mainArgument(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return '';
  const record = args as Record<string, unknown>;
  const named = ['pattern', 'query', 'path', 'file', 'target_file', 'glob', 'command'].filter((key) =>
    isShort(record[key]),
  );
  const key =
    named.find((name) => record[name] !== '.') ?? named[0] ?? Object.keys(record).find((name) => isShort(record[name]));
  return key === undefined ? '' : argument(record[key]);
}

function isShort(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** One argument as text. */
export function argument(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
