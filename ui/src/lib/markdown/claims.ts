// The text of a link, and the address that it seems to lead to. A reader sees letters, not code points: so a text is read as it looks.

/** Characters of a text that are looked at, and of a word that nobody reads to its end. */
const READ = 2_000;
const LONG = 500;

/** Characters that show nothing: they may stand anywhere in a word. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;
/** Signs that look like a dot, a slash or a colon. Between letters of scripts that have them as signs of their own, they stay. */
const DOTS = /(?<=[\w)\]])[\u00b7\u06d4\u2022\u2027\u2219\u22c5\u3002\ua4f8](?=[\w([])/gu;
const SLASHES = /[\\\u2044\u2215\u29f8\u29f9\u3033]/gu;
const COLONS = /[\u02d0\u02f8\u2236\ua789]/gu;
/** A dot in brackets, as people write it so that nothing makes a link of it. */
const BRACKETED = /\s*[[({<]\s*\.\s*[\])}>]\s*/gu;
/** A dot with a space before it, and spaces around what stands behind a scheme. */
const SPACED_DOT = /\s+\.\s*(?=[\p{L}\p{N}])/gu;
const SPACED = /(?<=:\/\/)\s+|\s+(?=:\/\/)|(?<=\.\p{L}+)\s+(?=\/[\p{L}\p{N}])/gu;
const AROUND = /^[^\p{L}\p{N}[]+|[^\p{L}\p{N}/\]]+$/gu;

/** The form of an address: a scheme, or names with dots between them, the last of them of letters; or this computer. */
const CLAIM = new RegExp(
  `^(?:${[
    String.raw`[a-z][a-z0-9+-]*:\/{1,3}\S+`,
    String.raw`mailto:\S+`,
    String.raw`(?:[^\s@/]+@)?(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+\.?(?::\d+)?(?:[/?#]\S*)?`,
    String.raw`(?:localhost|(?:\d{1,3}\.){3}\d{1,3})(?::\d+)?(?:\/\S*)?`,
  ].join('|')})$`,
  'iu',
);

/** Characters between which a part of a word can be an address on its own. */
const GLUE = /[^\p{L}\p{M}\p{N}\-._~:/?#@%[\]]+|:(?!\d+(?:[/?#]|$)|\/)/u;
/** Signs that an address has, or that look like one. */
const HAS_SIGN = /[.:\u00b7\u06d4\u2022\u2024\u2027\u2219\u22c5\u3002\ua4f8\uff0e\uff1a\uff61]/u;

/** True when the text of a link reads as an address other than the one that it leads to. */
export function claimsAnother(text: string, address: string): boolean {
  const real = URL.parse(address) ?? URL.parse(`https://${address}`);
  const shown = text.replaceAll(UNSEEN, '').replaceAll(/\s+/gu, ' ');
  if (HAS_SIGN.test(shown.slice(READ))) return true;
  return words(shown.slice(0, READ)).some((word) => {
    if (word.length > LONG) return true;
    const claims = CLAIM.test(word) ? [word] : partsOf(word);
    return claims.some((claim) => !real || isAnother(claim, real));
  });
}

/** The words of a text as they look, without what stands around them. */
function words(text: string): string[] {
  const seen = text
    .normalize('NFKC')
    .replaceAll(DOTS, '.')
    .replaceAll(SLASHES, '/')
    .replaceAll(COLONS, ':')
    .replaceAll(BRACKETED, '.')
    .replaceAll(SPACED_DOT, '.')
    .replaceAll(SPACED, '');
  return seen
    .split(/\s+/u)
    .map((word) => (word.length > LONG ? word : word.replaceAll(AROUND, '')))
    .filter((word) => word !== '');
}

/** Addresses in a word that is none as a whole: `Visit:bank.example`, `bank.example,click`. */
function partsOf(word: string): string[] {
  return word
    .split(GLUE)
    .map((part) => part.replaceAll(AROUND, ''))
    .filter((part) => CLAIM.test(part));
}

function isAnother(word: string, real: URL): boolean {
  const hasScheme = /^[a-z][a-z0-9+-]*:\//i.test(word);
  const said = URL.parse(hasScheme || /^mailto:/i.test(word) ? word : `https://${word}`);
  if (!said) return true;
  if (real.protocol === 'mailto:') return isAnotherMail(word, real);
  // Letters of other scripts look like those of this one: the address that is opened is spelled out beside them.
  if (/[^\p{ASCII}]/u.test(hostIn(word))) return true;
  if (hasScheme && said.protocol !== real.protocol && !(said.protocol === 'http:' && real.protocol === 'https:'))
    return true;
  if (said.username !== '' || said.password !== '') return true;
  // `example.org` may lead to any page there; a longer address is the whole address.
  const bare = said.pathname === '/' && said.search === '' && said.hash === '';
  const [host, there] = [said, real].map((url) => url.host.replace(/\.$/, ''));
  return host !== there || (!bare && (said.pathname !== real.pathname || said.search !== real.search));
}

/** A mail goes to whom the text names, and to nobody else. */
function isAnotherMail(word: string, real: URL): boolean {
  const said = word.replace(/^mailto:/i, '').split('?', 1)[0] ?? '';
  const others = /[?&]b?cc=/i.test(real.search);
  return others || said.toLowerCase() !== decoded(real.pathname).toLowerCase();
}

/** The part of an address where a host stands. */
function hostIn(word: string): string {
  return word.replace(/^[a-z][a-z0-9+-]*:\/*/i, '').split(/[/?#]/u, 1)[0] ?? '';
}

/** Without signs of percent, as far as they stand for characters. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
