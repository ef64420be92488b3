// Which button helps with an error, by its code alone (J4).

import type { ErrorInfo } from '$lib/generated/ErrorInfo';

/** Where the remedies of an error lead. One that is undefined is not available here. */
export interface Remedies {
  onsettings: (() => void) | undefined;
  onnewchat: (() => void) | undefined;
}

export type Remedy = 'settings' | 'unified' | 'room' | 'retry';

export function remedyOf({ code }: ErrorInfo): Remedy {
  switch (code) {
    case 'authentication':
    case 'access_denied':
    case 'no_endpoint':
    case 'unencrypted':
    case 'model_unknown':
    case 'takes_no_images':
    case 'connection':
    case 'config_invalid':
    case 'keychain_unavailable':
      return 'settings';
    case 'route_disabled':
      return 'unified';
    case 'context_too_long':
      return 'room';
    default:
      return 'retry';
  }
}
