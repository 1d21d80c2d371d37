import { goDuration } from './go-duration.js';
import { type Json, jsonEqual } from './json.js';
import { canonicalQuantity } from './quantity.js';

/**
 * Returns true if a server may have written the one value for the other, because both mean the same: equal numbers, quantities, times,
 * durations and addresses, and bytes in base64 without its line breaks. A server writes a declared number as the text of a quantity, and
 * never a declared text as a number.
 */
export function isSameValue(live: Json, declared: Json): boolean {
  if (jsonEqual(live, declared)) return true;
  if (typeof live !== 'string') return false;
  if (typeof declared === 'number') return isSameBy(canonicalQuantity, live, String(declared));
  return typeof declared === 'string' && forms.some((form) => isSameBy(form, live, declared));
}

type Form = (text: string) => string | undefined;

const forms: readonly Form[] = [canonicalQuantity, instantOf, (text) => goDuration(text)?.toString(), addressOf, bytesOf];

function isSameBy(form: Form, live: string, declared: string): boolean {
  const one = form(live);
  return one !== undefined && one === form(declared);
}

/** Returns a time of RFC 3339 in UTC. */
function instantOf(text: string): string | undefined {
  const [, seconds, fraction = '', zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  return Number.isNaN(time) ? undefined : `${time} ${Number(`0${fraction}`)}`;
}

/** Returns an IPv6 address or network in its canonical form. Source: RFC 5952. */
function addressOf(text: string): string | undefined {
  const [, address = '', length = ''] = /^([0-9a-fA-F:.]{2,45})(\/\d{1,3})?$/.exec(text) ?? [];
  const url = `http://[${address}]`;
  return address.includes(':') && URL.canParse(url) ? new URL(url).hostname + length : undefined;
}

/** Returns base64 without line breaks. Source: Go, package encoding/base64, which ignores them. */
function bytesOf(text: string): string | undefined {
  const digits = text.replace(/[\r\n]/g, '');
  return digits !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(digits) && digits.length % 4 === 0 ? digits : undefined;
}
