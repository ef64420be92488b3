// Offsets on the wire count UTF-8 bytes, JavaScript strings count UTF-16 units.

/** Bytes of `text` in UTF-8; a lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** `text` without its first `bytes` bytes. */
export function afterBytes(text: string, bytes: number): string {
  if (bytes <= 0) return text;
  let seen = 0;
  let i = 0;
  while (i < text.length && seen < bytes) {
    const pair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    const width = pair ? 2 : 1;
    seen += utf8Length(text.slice(i, i + width));
    i += width;
  }
  return text.slice(i);
}
