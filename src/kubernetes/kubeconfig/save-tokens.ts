import { closeSync, openSync, readFileSync, realpathSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';

/**
 * Writes tokens into the auth-provider of a user in a kubeconfig, and leaves the rest of the file as it is. The file is locked as kubectl locks
 * it, and replaced at once.
 *
 * @throws Error if the file cannot be written, or does not contain the user any more.
 */
export function saveTokens(file: string, user: string, tokens: Readonly<Record<string, string>>): void {
  const lock = `${file}.lock`;
  closeSync(openSync(lock, 'wx', 0o600));
  try {
    const target = realpathSync(file);
    const document = parseDocument(readFileSync(target, 'utf8'));
    const users = document.get('users');
    const entry = isSeq(users) ? users.items.find((one): one is YAMLMap => isMap(one) && one.get('name') === user) : undefined;
    if (entry === undefined) throw new Error(`${file} does not contain the user any more`);
    for (const [name, token] of Object.entries(tokens)) entry.setIn(['user', 'auth-provider', 'config', name], token);
    const next = `${target}.fieldwise`;
    writeFileSync(next, document.toString({ lineWidth: 0 }), { mode: statSync(target).mode & 0o777 });
    renameSync(next, target);
  } finally {
    unlinkSync(lock);
  }
}
