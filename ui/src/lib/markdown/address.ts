// The addresses that a link may lead to. The core judges again before it opens one
// (src-tauri/src/external.rs).

/** Characters of an address that is opened. Source: `LONGEST` there. */
const LONGEST = 8_192;

/** The address in its normal form when another program opens it: of the web or of mail, without a user name. Null for others. */
export function openable(address: string): string | null {
  const url = address.length <= LONGEST ? URL.parse(address) : null;
  if (url?.protocol === 'mailto:') return mail(url);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

/** The fields of a mail that a link may set. Of other fields some add files of this computer. Source: `FIELDS` in `external.rs`. */
const FIELDS = ['subject', 'body', 'cc', 'bcc'];

/** Without fields that a link may not set, and without line ends where they would begin another field. */
function mail(url: URL): string | null {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((field) => {
      const name = field.split('=', 1)[0]?.toLowerCase() ?? '';
      return FIELDS.includes(name) && (name === 'body' || !/%0[ad]/i.test(field));
    });
  // Some programs read fields from what stands before the `?`, too.
  const to = url.pathname.split('&', 1)[0] ?? '';
  if (/%0[ad]/i.test(to)) return null;
  return `mailto:${to}${kept.length > 0 ? `?${kept.join('&')}` : ''}`;
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
