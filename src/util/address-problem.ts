import { quote } from './quote.js';

/** Returns what is wrong with the text of an IP address, in the words of the real server; undefined for an address. Source: observed. */
export function addressProblem(text: string): string | undefined {
  const problem = reasonOf(text);
  return problem === undefined ? undefined : `ParseAddr(${quote(text)}): ${problem}`;
}

function reasonOf(text: string): string | undefined {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return problemOfDotted(text);
    case ':':
      return text.endsWith('%') && text.indexOf('%') === text.length - 1
        ? 'zone must be a non-empty string'
        : problemOfGroups(text.replace(/%.*$/s, ''));
    case '%':
      return 'missing IPv6 address';
    default:
      return 'unable to parse IP';
  }
}

const at = (problem: string, rest: string) => `${problem} (at ${quote(rest)})`;

/** Returns what is wrong with four numbers and dots between them. */
function problemOfDotted(text: string): string | undefined {
  let rest = text;
  for (let field = 0; ; field++) {
    const [digits = ''] = /^\d*/.exec(rest) ?? [];
    for (let length = 2; length <= digits.length; length++) {
      if (digits.startsWith('0')) return 'IPv4 field has octet with leading zero';
      if (Number(digits.slice(0, length)) > 255) return 'IPv4 field has value >255';
    }
    const behind = rest.slice(digits.length);
    if (behind === '') return field < 3 ? 'IPv4 address too short' : undefined;
    if (!behind.startsWith('.')) return at('unexpected character', behind);
    if (digits === '' || behind === '.') return at('IPv4 field must have at least one digit', behind);
    if (field === 3) return 'IPv4 address too long';
    rest = behind.slice(1);
  }
}

const mostGroups = 8;

/** Returns what is wrong with groups of hexadecimal digits and colons between them; the last may be an IPv4 address. */
function problemOfGroups(text: string): string | undefined {
  let hasGap = text.startsWith('::');
  let rest = hasGap ? text.slice(2) : text;
  let groups = 0;
  while (rest !== '' && groups < mostGroups) {
    const [digits = ''] = /^[0-9a-f]*/i.exec(rest) ?? [];
    if (digits.length > 4) return at('each group must have 4 or less digits', rest);
    if (digits === '') return at('each colon-separated field must have at least one digit', rest);
    const behind = rest.slice(digits.length);
    if (behind.startsWith('.')) {
      if (!hasGap && groups !== mostGroups - 2) return at('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups + 2 > mostGroups) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      return problemOfDotted(rest) ?? problemOfCount(groups + 2, hasGap);
    }
    groups++;
    if (behind !== '' && !behind.startsWith(':')) return at('unexpected character, want colon', behind);
    if (behind === ':') return at('colon must be followed by more characters', behind);
    rest = behind.slice(1);
    if (!rest.startsWith(':')) continue;
    if (hasGap) return at('multiple :: in address', rest);
    hasGap = true;
    rest = rest.slice(1);
  }
  return rest === '' ? problemOfCount(groups, hasGap) : at('trailing garbage after address', rest);
}

function problemOfCount(groups: number, hasGap: boolean): string | undefined {
  if (groups === mostGroups) return hasGap ? 'the :: must expand to at least one field of zeros' : undefined;
  return hasGap ? undefined : 'address string too short';
}
