import fs from 'node:fs';
import path from 'node:path';
import { damagedDirectory, tooNew } from './data-damaged.js';
import { createFile, readIfPresent } from './durable-file.js';
import { fileNameOf, revisionsOf } from './segment.js';
import { writeSnapshot } from './snapshot.js';
import type { StoreContent } from './store.js';

/**
 * Says how a directory is written. Until version 1 it had all objects; its name stays, so that a Fieldwise of that time refuses the
 * directory instead of beginning an empty one.
 */
const fileName = 'objects.json';
const marker = '{"version":2,"files":"snapshot-*, log-*"}\n';
/** From the first log on, a directory always has one. */
const loggedMarker = '{"version":2,"files":"snapshot-*, log-*","isLogged":true}\n';
/** From the first clean end or second start on, it has a change, too. */
const changedMarker = '{"version":2,"files":"snapshot-*, log-*","isLogged":true,"isChanged":true}\n';

/**
 * Makes sure that a directory has the present format: a new one is marked, and the objects of version 1 become a snapshot.
 *
 * @throws FieldwiseError `cluster-data-damaged`
 */
export async function migrate(directory: string): Promise<void> {
  const file = path.join(directory, fileName);
  const found = readFormat(file);
  if (found?.version === 2) {
    if (found.isLogged && revisionsOf('log', fs.readdirSync(directory)).length === 0)
      throw damagedDirectory(path.join(directory, 'log-*'), 'the log is missing');
    return;
  }
  if (found !== undefined) {
    const names = fs.readdirSync(directory);
    if (revisionsOf('log', names).length > 0)
      throw damagedDirectory(file, 'it has the objects of an older version of Fieldwise and a log of this one');
    // An interrupted migration left them.
    for (const revision of revisionsOf('snapshot', names)) fs.rmSync(path.join(directory, fileNameOf('snapshot', revision)));
    await writeSnapshot(directory, found as StoreContent, true);
  }
  fs.closeSync(createFile(directory, fileName, marker, true));
}

/** Says that a directory has a log. */
export function markLogged(directory: string): void {
  const found = readFormat(path.join(directory, fileName));
  if (found?.version === 2 && !found.isLogged) fs.closeSync(createFile(directory, fileName, loggedMarker, true));
}

/** Says that a directory has changes, which are on the disk. */
export function markChanged(directory: string): void {
  if (!isMarkedChanged(directory)) fs.closeSync(createFile(directory, fileName, changedMarker, true));
}

/** Returns true if a directory had changes at some time: then a log without one is damaged, not new. */
export function isMarkedChanged(directory: string): boolean {
  const found = readFormat(path.join(directory, fileName));
  return found?.version === 2 && found.isChanged === true;
}

type Format = { readonly version: 2; readonly isLogged: boolean; readonly isChanged: boolean } | ({ readonly version: 1 } & StoreContent);

function readFormat(file: string): Format | undefined {
  const text = readIfPresent(file);
  if (text === undefined) return undefined;
  let format: Readonly<Record<'version' | 'isLogged' | 'isChanged' | 'revision' | 'objects', unknown>>;
  try {
    format = JSON.parse(text);
  } catch {
    throw damagedDirectory(file, 'it is not JSON');
  }
  if (format?.version === 2) return { version: 2, isLogged: format.isLogged === true, isChanged: format.isChanged === true };
  if (format?.version === 1 && typeof format.revision === 'number' && Array.isArray(format.objects)) return format as never;
  if (Number(format?.version) > 2) throw tooNew(file);
  throw damagedDirectory(file, `its format, version ${JSON.stringify(format?.version)}, is not known to this version of Fieldwise`);
}
