/**
 * Compares two strings by their UTF-8 bytes, as Go does. JavaScript compares UTF-16 units, which differs where one string has a
 * surrogate pair and the other a character from U+E000 up.
 */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    if (a < 0xd800 || b < 0xd800) return a - b;
    return surrogatesLast(a) - surrogatesLast(b);
  }
  return left.length - right.length;
}

// Characters beyond U+FFFF, which UTF-16 writes with surrogates, sort after all others in UTF-8.
function surrogatesLast(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
