// Which addresses a link may lead to, and what a reader has to see of them. The core judges again before it opens one
// (src-tauri/src/external.rs).

/** Characters of an address that is opened. Source: `LONGEST` there. */
const LONGEST = 8_192;

/** The address in its normal form when another program opens it: of the web or of mail, without a user name. Null for others. */
export function openable(address: string): string | null {
  const url = address.length <= LONGEST ? URL.parse(address) : null;
  if (url?.protocol === 'mailto:') return url.href;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

/** What looks like an address in the text of a link. */
const CLAIM = /^\s*(?:https?:\/\/|mailto:)?[^\s@/]*@?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[:/?#]\S*)?\s*$/iu;

/** Characters of a text that is looked at closely. A longer one without a space is taken for an address. */
const READ = 500;

/** True when the text of a link reads as an address other than the one that it leads to. */
export function claimsAnother(text: string, address: string): boolean {
  if (text.length > READ) return !/\s/.test(text.trim());
  if (!CLAIM.test(text)) return false;
  const [said, real] = [text.trim(), address].map((one) => URL.parse(one) ?? URL.parse(`https://${one}`));
  if (!said || !real) return true;
  if (real.protocol === 'mailto:') return !said.href.toLowerCase().includes(decoded(real.pathname).toLowerCase());
  // `example.org` may lead to any page there; a longer address is the whole address.
  const bare = said.pathname === '/' && said.search === '' && said.hash === '';
  return said.host !== real.host || (!bare && (said.pathname !== real.pathname || said.search !== real.search));
}

/** Without signs of percent, as far as they stand for characters. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Characters of an address that stands in a text without brackets. */
const BARE = /^https?:\/\/[^\s<>"`*\\^{}|\p{Cc}\p{Cf}]+/iu;
const LONGEST_BARE = 2_048;

/** The address that a text begins with, without the punctuation after it. */
export function bareAddress(text: string): string | null {
  const found = BARE.exec(text.slice(0, LONGEST_BARE))?.[0];
  if (found === undefined) return null;
  let end = found.length;
  let closing = count(found, ')') - count(found, '(');
  for (; end > 0; end--) {
    const last = found.charAt(end - 1);
    if (last === ')' && closing > 0) closing -= 1;
    else if (!"?!.,:;_'~".includes(last)) break;
  }
  const address = found.slice(0, end);
  return openable(address) === null ? null : address;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
