/** Query parameters that say which file is meant. The value of every other may be a token, and is never shown or stored. */
const shownParameters = new Set(['branch', 'commit', 'file', 'format', 'path', 'ref', 'ref_type', 'tag', 'version']);

const hidden = '***';

/** An address as messages and the lock file hold it: without user, password and fragment, the values of unknown query parameters hidden. */
export function shownUrl(url: string): string {
  // What cannot be parsed is shown as far as no secret can stand in it.
  if (!URL.canParse(url)) return `${url.slice(0, url.indexOf('//') + 2)}${hidden}`;
  const parsed = new URL(url);
  const query = [...parsed.searchParams].map(([name, value]) => parameter(name, value)).join('&');
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${query === '' ? '' : `?${query}`}`;
}

function parameter(name: string, value: string): string {
  if (shownParameters.has(name)) return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  // A token may stand alone, or end as base64 does: `?TOKEN`, `?TOKEN==`.
  return /^=*$/.test(value) || !/^[\w.-]{1,40}$/.test(name) ? hidden : `${name}=${hidden}`;
}

/** A spec, `[NAME:=]SPEC`, as messages and the lock file hold it. */
export function shownSpec(text: string): string {
  const match = /^((?:[^/?#]*:=)?)([a-z][a-z0-9+.-]*:\/\/.*)$/is.exec(text);
  return match === null ? text : `${match[1]}${shownUrl(match[2] as string)}`;
}
