// The result of testing an endpoint.

import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ModelInfo } from '$lib/generated/ModelInfo';

export type Trial =
  | { state: 'none' }
  | { state: 'running' }
  | { state: 'good'; models: ModelInfo[] }
  | { state: 'bad'; error: ErrorInfo };
