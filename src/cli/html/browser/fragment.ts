/** The state of a page, by name: choices of the reader, and the object that is open. */
export type PageState = ReadonlyMap<string, readonly string[]>;

/** Reads the state from the fragment of an address. */
export function readFragment(fragment: string): PageState {
  const state = new Map<string, readonly string[]>();
  for (const [name, value] of new URLSearchParams(fragment.replace(/^#/, ''))) state.set(name, [...(state.get(name) ?? []), value]);
  return state;
}

/** Returns the fragment of a state, with `#`; nothing if the state is empty. */
export function fragmentText(state: PageState): string {
  const pairs = [...state].flatMap(([name, values]) => values.map((value) => `${name}=${encoded(value)}`));
  return pairs.length === 0 ? '' : `#${pairs.join('&')}`;
}

/** Encodes a value so that names of objects and owners stay readable. */
function encoded(value: string): string {
  return encodeURIComponent(value).replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%20/g, '+').replace(/%2C/g, ',');
}

/** Returns the id of an object: its stack if there is one, its group, kind, namespace and name. */
export function objectId({
  apiVersion,
  object,
  stack,
}: {
  readonly apiVersion: string;
  readonly object: string;
  readonly stack?: string;
}): string {
  const slash = apiVersion.lastIndexOf('/');
  const group = slash < 0 ? '' : `${apiVersion.slice(0, slash)}/`;
  // An id has no blanks, and other attributes name several of them.
  return `${stack === undefined ? '' : `${stack}:`}${group}${object.replace(' ', '/')}`.replace(/\s/g, '_');
}
