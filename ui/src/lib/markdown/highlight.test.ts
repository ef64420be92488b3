import { afterEach, expect, test, vi } from 'vitest';
import { highlight } from './highlight';

afterEach(() => vi.restoreAllMocks());

const CODE = 'let mut config: Config = toml::from_str(&file)?;\nif let Ok(den) = std::env::var("FOXES_DEN") {}';

test('code has the same colours however long its first lines take: each expression of a grammar is compiled when it is first tried', async () => {
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 600));
  const first = await highlight(CODE, 'rust');
  clock.mockRestore();
  const later = await highlight(CODE, 'rust');
  expect(first).toEqual(later);
  expect(first?.flat().some(({ color }) => color === 'var(--shiki-token-string-expression)')).toBe(true);
});

test('a line that is too long for a person stays plain, and those around it have their colours', async () => {
  const long = `let a = "${'x'.repeat(3_000)}";`;
  const spans = await highlight(`let a = 1;\n${long}\nlet b = 2;`, 'rust');
  expect(spans?.map((line) => line.length > 1)).toEqual([true, false, true]);
});
