// Whose key a key is, by what it begins with. Nothing is sent to find out.

interface Form {
  /** The name of the preset. */
  provider: string;
  form: RegExp;
}

/**
 * Sources: the providers' own documentation shows `sk-or-v1-…` (openrouter.ai/docs/api-reference/authentication), `sk-proj-…` and `sk-svcacct-…`
 * (platform.openai.com/docs/api-reference/authentication); scanners of secrets (gitleaks, kingfisher) know OpenAI's older keys by `T3BlbkFJ`, and
 * DeepSeek's as 32 hexadecimal digits after `sk-`. The first that fits counts.
 */
const FORMS: readonly Form[] = [
  { provider: 'openrouter', form: /^sk-or-/ },
  { provider: 'openai', form: /^sk-(?:proj|svcacct|admin)-|^sk-[A-Za-z0-9]{16,}T3BlbkFJ/ },
  { provider: 'deepseek', form: /^sk-[0-9a-f]{32}$/ },
];

/** The name of the preset that the key is for; null where its form does not say. */
export const providerOf = (key: string): string | null =>
  FORMS.find(({ form }) => form.test(key.trim()))?.provider ?? null;
