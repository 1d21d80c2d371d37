/** The directory of the embedded server, whose identity.json contains a key that signs: Git must not track it. */
export const stateDirectory = '.fieldwise/';

/** Returns the text of a .gitignore with the paths that it does not have yet, and these. */
export function withIgnored(text: string, paths: readonly string[]): { readonly text: string; readonly missing: readonly string[] } {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const lines = new Set(text.split('\n').map(plain));
  const missing = paths.filter((line) => !lines.has(plain(line)));
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const ended = text === '' || text.endsWith('\n') ? text : `${text}${lineEnd}`;
  return { text: `${ended}${missing.map((line) => `${line}${lineEnd}`).join('')}`, missing };
}
