import { describe, expect, it } from 'vitest';
import type { Endpoint } from '$lib/generated/Endpoint';
import { allowHttp, allowsHttp, changeOf, draftOf, fromPreset, keyHint, lacks, probeOf } from './endpointDraft';

const endpoint: Endpoint = {
  name: 'work',
  baseUrl: 'https://host.example/v1',
  model: 'm',
  key: { kind: 'keychain' },
  acceptedFinishReasons: [],
  allowHttp: false,
  window: 8_192,
  maxOutputTokens: null,
  models: {
    'qwen3:8b': {
      window: 4_096,
      maxOutputTokens: null,
      temperature: null,
      reasoningEffort: null,
      thinking: null,
      takesImages: null,
      resultsAs: null,
      favourite: true,
      prices: null,
    },
  },
  tuning: {},
  takesImages: null,
  resultsAs: null,
};

describe('the hint in the field of the key', () => {
  const hint = (baseUrl: string) => keyHint({ ...draftOf(endpoint), baseUrl }, endpoint);

  it('says that the key stays at the same server', () => {
    for (const same of ['https://host.example/v1', ' https://HOST.example:443/v2/ ']) {
      expect(hint(same)).toBe('Leave empty to keep the current key');
    }
  });

  it('asks for the key again for another server', () => {
    for (const other of [
      'http://host.example/v1',
      'https://host.example:8443/v1',
      'https://other.example/v1',
      'https://',
      '',
    ]) {
      expect(hint(other)).toBe('The server changed: enter the key again');
    }
  });
});

describe('that messages travel unencrypted', () => {
  const clear = draftOf({ ...endpoint, baseUrl: 'http://10.0.0.2:8000/v1', allowHttp: true });
  const allowed = (baseUrl: string, draft = clear) => {
    const moved = { ...draft, baseUrl };
    return [allowsHttp(moved), changeOf(moved, false).allowHttp, probeOf(moved, endpoint).allowHttp];
  };

  it('is confirmed for the host that the endpoint has', () => {
    for (const same of ['http://10.0.0.2:8000/v1', ' http://10.0.0.2/v2 '])
      expect(allowed(same), same).toEqual([true, true, true]);
    expect(lacks(clear)).toBeNull();
  });

  it('has to be confirmed again for another host', () => {
    const other = 'http://10.0.0.22:8000/v1';
    expect(allowed(other)).toEqual([false, false, false]);
    expect(lacks({ ...clear, baseUrl: other })).toBe('Confirm that messages travel unencrypted, or use https.');
    const draft = { ...clear, baseUrl: other };
    allowHttp(draft, true);
    expect(allowed(other, draft)).toEqual([true, true, true]);
    expect(allowed('http://10.0.0.2:8000/v1', draft)).toEqual([false, false, false]);
    allowHttp(draft, false);
    expect(allowed(other, draft)).toEqual([false, false, false]);
  });

  it('is not carried over to a preset', () => {
    const preset = { name: 'x', label: 'X', baseUrl: clear.baseUrl, keyVariable: null, model: null, local: false };
    expect(allowsHttp(fromPreset(clear, preset))).toBe(false);
  });
});

describe('the sizes of the models', () => {
  const draft = draftOf(endpoint);
  const sizes = (window: number | null, maxOutputTokens: number | null) => ({ window, maxOutputTokens });

  it('are what the endpoint has, until the person changes them', () => {
    expect(changeOf(draft, false)).toMatchObject({
      window: 8_192,
      maxOutputTokens: null,
      models: { 'qwen3:8b': sizes(4_096, null) },
    });
    const changed = {
      ...draft,
      sizes: sizes(null, 1),
      models: [
        { model: ' small ', sizes: sizes(2_048, 100) },
        { model: 'none', sizes: sizes(null, null) },
      ],
    };
    expect(changeOf(changed, false)).toMatchObject({
      window: null,
      maxOutputTokens: 1,
      models: { small: sizes(2_048, 100) },
    });
  });

  it('are saved only where a model can have them', () => {
    const wrong = {
      window: 'A window is a whole number from 1,024 to 10,000,000.',
      most: 'A longest answer is a whole number from 1 to 10,000,000.',
    };
    const one = (of: ReturnType<typeof sizes>) => ({ ...draft, models: [{ model: 'm', sizes: of }] });
    for (const window of [0, 1_023, 10_000_001, 4_096.5, Number.NaN]) {
      expect(
        [lacks({ ...draft, sizes: sizes(window, null) }), lacks(one(sizes(window, null)))],
        String(window),
      ).toEqual([wrong.window, wrong.window]);
    }
    for (const most of [0, -1, 0.5])
      expect([lacks({ ...draft, sizes: sizes(null, most) }), lacks(one(sizes(null, most)))], String(most)).toEqual([
        wrong.most,
        wrong.most,
      ]);
    for (const window of [null, 1_024, 10_000_000])
      expect(lacks({ ...draft, sizes: sizes(window, 1), models: one(sizes(window, 1)).models })).toBeNull();
    expect(lacks({ ...draft, models: [{ model: ' ', sizes: sizes(2_048, null) }] })).toBe(
      'Name the model that has these sizes.',
    );
    expect(lacks({ ...draft, models: [{ model: '', sizes: sizes(null, null) }] })).toBeNull();
  });
});
