/**
 * Returns 4, 6, or 0 if the text is not an IP address. Node has this function, but loading its networking takes longer than all of the
 * builders.
 */
export function ipVersion(text: string): 0 | 4 | 6 {
  if (isIpv4(text)) return 4;
  return isIpv6(text) ? 6 : 0;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

// Source: RFC 4291, section 2.2: eight groups, of which `::` replaces one or more zero groups; the last two may be an IPv4 address.
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  // Only the part after `::` may be empty or end in an IPv4 address.
  const tail = last.includes('.') && text.endsWith(last) && isIpv4(last) ? groups.splice(-1, 1, '0', '0').length : 0;
  if (tail === 0 && last.includes('.')) return false;
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}
