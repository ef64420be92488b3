import { describe, expect, it } from 'vitest';
import type { Endpoint } from '$lib/generated/Endpoint';
import { changeOf, draftOf, keyHint, lacks } from './endpointDraft';

const endpoint: Endpoint = {
  name: 'work',
  baseUrl: 'https://host.example/v1',
  model: 'm',
  key: { kind: 'keychain' },
  acceptedFinishReasons: [],
  allowHttp: false,
  window: 8_192,
  maxOutputTokens: null,
};

describe('the hint in the field of the key', () => {
  const hint = (baseUrl: string) => keyHint({ ...draftOf(endpoint), baseUrl }, endpoint);

  it('says that the key stays at the same server', () => {
    for (const same of ['https://host.example/v1', ' https://HOST.example:443/v2/ ']) {
      expect(hint(same)).toBe('Leave empty to keep the current key');
    }
  });

  it('asks for the key again for another server', () => {
    for (const other of ['http://host.example/v1', 'https://host.example:8443/v1', 'https://other.example/v1', 'https://', '']) {
      expect(hint(other)).toBe('The server changed: enter the key again');
    }
  });
});

describe('the numbers of the model', () => {
  const draft = draftOf(endpoint);

  it('are what the endpoint has, until the person changes them', () => {
    expect(changeOf(draft, false)).toMatchObject({ window: 8_192, maxOutputTokens: null });
    expect(changeOf({ ...draft, window: null, maxOutputTokens: 1 }, false)).toMatchObject({ window: null, maxOutputTokens: 1 });
  });

  it('are saved only where a model can have them', () => {
    for (const window of [0, 1_023, 10_000_001, 4_096.5, Number.NaN]) expect(lacks({ ...draft, window }), String(window)).toBe('The window is a whole number from 1,024 to 10,000,000.');
    for (const most of [0, -1, 0.5]) expect(lacks({ ...draft, maxOutputTokens: most }), String(most)).toBe('The longest answer is a whole number from 1 to 10,000,000.');
    for (const window of [null, 1_024, 10_000_000]) expect(lacks({ ...draft, window, maxOutputTokens: 1 })).toBeNull();
  });
});
