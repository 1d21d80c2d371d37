/** Query parameters that select a file. The value of any other may be a token, and is never shown or stored. */
const shownParameters = new Set(['branch', 'commit', 'file', 'format', 'path', 'ref', 'ref_type', 'tag', 'version']);

const hidden = '***';

/** Returns an address for messages and the lock file: without user, password and fragment, with hidden values of unknown parameters. */
export function shownUrl(url: string): string {
  // In an address that cannot be parsed, only the scheme is known to contain no secret.
  if (!URL.canParse(url)) return `${url.slice(0, url.indexOf('//') + 2)}${hidden}`;
  const parsed = new URL(url);
  const query = [...parsed.searchParams].map(([name, value]) => parameter(name, value)).join('&');
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${query === '' ? '' : `?${query}`}`;
}

function parameter(name: string, value: string): string {
  if (shownParameters.has(name)) return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  // A token may be a parameter without a value, or end like base64: `?TOKEN`, `?TOKEN==`.
  return /^=*$/.test(value) || !/^[\w.-]{1,40}$/.test(name) ? hidden : `${name}=${hidden}`;
}

/** Returns a spec, `[NAME:=]SPEC`, for messages and the lock file. */
export function shownSpec(text: string): string {
  const match = /^((?:[^/?#]*:=)?)([a-z][a-z0-9+.-]*:\/\/.*)$/is.exec(text);
  return match === null ? text : `${match[1]}${shownUrl(match[2] as string)}`;
}
