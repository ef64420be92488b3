import { describe, expect, it } from 'vitest';
import type { Endpoint } from '$lib/generated/Endpoint';
import { draftOf, keyHint } from './endpointDraft';

const endpoint: Endpoint = {
  name: 'work',
  baseUrl: 'https://host.example/v1',
  model: 'm',
  key: { kind: 'keychain' },
  acceptedFinishReasons: [],
  allowHttp: false,
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
