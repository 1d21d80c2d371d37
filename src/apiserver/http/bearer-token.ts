const spaceWarning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** The token of a request; undefined if its header has none or is of another scheme, such as `Basic`. */
export interface BearerToken {
  readonly token: string | undefined;
  readonly warnings: readonly string[];
}

/** Reads the header Authorization. Source: observed. */
export function bearerToken(header = ''): BearerToken {
  const [scheme = '', token = '', rest] = header.trim().split(' ');
  if (scheme.toLowerCase() !== 'bearer') return { token: undefined, warnings: [] };
  if (token !== '') return { token, warnings: [] };
  return { token: undefined, warnings: rest === undefined ? [] : [spaceWarning] };
}
