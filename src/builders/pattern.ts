const compiled = new Map<string, RegExp | undefined>();

/**
 * Whether a pattern of the API server (RE2, unanchored) is in a text; undefined where RE2 and JavaScript read the pattern
 * differently, so that only the server can say.
 */
export function matches(pattern: string, text: string): boolean | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern)?.test(text);
}

function compile(pattern: string): RegExp | undefined {
  // POSIX classes, text anchors, literal quotes, named groups, inline flags, octal and one-byte escapes.
  if (/\[\[:|\\[AzQECpPvx0-9]|\(\?[^:]/.test(pattern)) return undefined;
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Tried without the flag: RE2 allows escapes that JavaScript's Unicode mode does not.
    }
  }
  return undefined;
}
