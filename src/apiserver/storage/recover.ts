import fs from 'node:fs';
import path from 'node:path';
import { metadataOf } from '../../fields/object.js';
import { damagedDirectory, damagedFile } from './data-damaged.js';
import { temporaryName } from './durable-file.js';
import { isMarkedChanged } from './migrate.js';
import { type Change, createSegment, fileNameOf, openSegment, revisionsOf, type Segment, type SegmentPlace } from './segment.js';
import { readSnapshot } from './snapshot.js';
import { Store, type StoreContent } from './store.js';

/** The objects of a directory, and the end of its log. */
export interface Recovered {
  readonly store: Store;
  readonly segment: Segment;
  /** The size of the newest snapshot in bytes. */
  readonly snapshotSize: number;
  /** The size of the log after that snapshot in bytes. */
  readonly logSize: number;
}

/**
 * Reads the newest snapshot of a directory and replays the log after it.
 *
 * @throws FieldwiseError `cluster-data-damaged`
 */
export function recover(directory: string, sync: boolean): Recovered {
  const names = fs.readdirSync(directory);
  for (const name of names) if (temporaryName.test(name)) fs.rmSync(path.join(directory, name), { force: true });
  const { content, size: snapshotSize } = newestSnapshot(directory, names);
  const store = new Store(content);
  // A segment ends where the next one begins.
  const logs = revisionsOf('log', names).filter((_, index, all) => (all[index + 1] ?? Number.POSITIVE_INFINITY) > store.revision);
  // Without a snapshot, the first change is in the first segment.
  const isChanged = content === undefined && isMarkedChanged(directory);
  let segment: Segment | undefined;
  let logSize = 0;
  for (const [index, base] of logs.entries()) {
    const file = path.join(directory, fileNameOf('log', base));
    if (base > store.revision) throw damagedDirectory(file, `the changes from version ${store.revision + 1} to ${base} are missing`);
    if (segment !== undefined) fs.closeSync(segment.descriptor);
    segment = replay(store, file, { isLast: index === logs.length - 1, isChanged: isChanged && index === 0 });
    logSize += segment.size;
  }
  return { store, segment: segment ?? createSegment(directory, store.revision, sync), snapshotSize, logSize };
}

/** Removes the files that a snapshot replaces. */
export function removeFilesBefore(directory: string, revision: number): void {
  const names = fs.readdirSync(directory);
  for (const kind of ['log', 'snapshot'] as const)
    for (const each of revisionsOf(kind, names))
      if (each < revision) fs.rmSync(path.join(directory, fileNameOf(kind, each)), { force: true });
}

/** Reads the newest snapshot. An older one, or none, is as good as long as the log has all changes after it. */
function newestSnapshot(
  directory: string,
  names: readonly string[],
): { readonly content: StoreContent | undefined; readonly size: number } {
  const firstLog = revisionsOf('log', names)[0] ?? Number.POSITIVE_INFINITY;
  let failure: unknown;
  for (const revision of revisionsOf('snapshot', names).toReversed()) {
    if (failure !== undefined && firstLog > revision) break;
    try {
      const content = readSnapshot(directory, revision);
      return { content, size: content.size };
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined && firstLog > new Store().revision) throw failure;
  return { content: undefined, size: 0 };
}

function replay(store: Store, file: string, place: SegmentPlace): Segment {
  return openSegment(file, place, ({ revision, changes }, offset) => {
    // The group is part of the snapshot.
    if (revision <= store.revision) return;
    for (const change of changes) store.replay(...keyed(change));
    if (store.revision !== revision) throw damagedFile(file, offset);
  });
}

function keyed(change: Change): Parameters<Store['replay']> {
  if (!('object' in change)) return [change, undefined];
  const { namespace = '', name = '' } = metadataOf(change.object);
  return [{ resource: change.resource, namespace, name }, change.object];
}
