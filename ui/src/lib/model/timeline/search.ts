// Binary search.

/** The first index whose value is greater than `value`, in a list that grows. */
export function after<T>(list: readonly T[], value: number, of: (item: T) => number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle] as T) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
