import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A reference with a literal name, such as `fromEnv('DB_PASSWORD')`; a longer name belongs to no variable. */
const reference = /\bfromEnv\(\s{0,20}['"`]([A-Za-z_]\w{0,127})['"`]/g;
const limits = { files: 500, bytes: 1_000_000 };

/** Returns the environment variables that the programs of a directory read with `fromEnv`, in order, as far as their names stand there. */
export async function readVariables(directory: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const file of await programsIn(directory, limits.files)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.length <= limits.bytes) for (const [, name] of text.matchAll(reference)) found.add(name as string);
  }
  return [...found].sort();
}

async function programsIn(directory: string, most: number): Promise<readonly string[]> {
  const found: string[] = [];
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (found.length >= most || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await programsIn(file, most - found.length)));
    else if (entry.isFile() && /(?<!\.d)(?<!\.test)\.[cm]?ts$/.test(entry.name)) found.push(file);
  }
  return found;
}
