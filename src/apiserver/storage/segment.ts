import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { damagedFile } from './data-damaged.js';
import { createFile } from './durable-file.js';
import { encodeRecord, hasRecordAfter, readRecord } from './record.js';
import type { StoreEvent } from './store.js';

/** A segment of the log, open for writing: the changes after one version. */
export interface Segment {
  readonly file: string;
  readonly descriptor: number;
  readonly salt: string;
  /** The length in bytes of what is stored. */
  readonly size: number;
}

/** The changes that were stored together. */
export interface ChangeGroup {
  /** The version after the last change; each change increments it. */
  readonly revision: number;
  readonly changes: readonly Change[];
}

/** A written object, or the key of a deleted one. */
export type Change =
  | { readonly resource: string; readonly object: JsonObject }
  | { readonly resource: string; readonly namespace: string; readonly name: string };

/** Returns the name of a file with the changes after a version, or with the objects of a version. Names sort as versions do. */
export function fileNameOf(kind: 'log' | 'snapshot', revision: number): string {
  return `${kind}-${String(revision).padStart(16, '0')}`;
}

/** Returns the versions in the names of the files of a kind, ascending. */
export function revisionsOf(kind: 'log' | 'snapshot', names: readonly string[]): readonly number[] {
  const pattern = kind === 'log' ? /^log-(\d{16})$/ : /^snapshot-(\d{16})$/;
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** Creates an empty segment. */
export function createSegment(directory: string, revision: number, sync: boolean): Segment {
  const name = fileNameOf('log', revision);
  const salt = randomBytes(8).toString('hex');
  const header = headerOf('log', revision, salt);
  const descriptor = createFile(directory, name, header, sync);
  return { file: path.join(directory, name), descriptor, salt, size: header.length };
}

/** Encodes the first record of a file. */
export function headerOf(kind: 'log' | 'snapshot', revision: number, salt: string): Uint8Array {
  return encodeRecord('', JSON.stringify({ fieldwise: kind, version: 1, revision, salt }));
}

/** Reads the first record of a file. @throws FieldwiseError `cluster-data-damaged` */
export function readHeader(descriptor: number, file: string): { readonly salt: string; readonly end: number } {
  const record = readRecord(descriptor, '', 0);
  if (record?.text === undefined) throw damagedFile(file, 0);
  const { version, salt } = JSON.parse(record.text) as { readonly version: number; readonly salt: string };
  if (version !== 1) throw damagedFile(file, 0);
  return { salt, end: record.end };
}

export function encodeGroup(salt: string, events: readonly StoreEvent[]): Uint8Array {
  const changes = events.map(({ type, key, object }): Change => (type === 'DELETED' ? key : { resource: key.resource, object }));
  return encodeRecord(salt, stringifyExactJson({ revision: events.at(-1)?.revision ?? 0, changes } as unknown as JsonObject));
}

/** Facts about a segment before it is read. */
export interface SegmentPlace {
  /** No segment follows: then a torn record at the end is what a write left that was interrupted, and is removed. */
  readonly isLast: boolean;
  /** The segment was seen with its first change. */
  readonly isChanged: boolean;
}

/**
 * Opens a segment and reads its groups.
 *
 * @throws FieldwiseError `cluster-data-damaged`
 */
export function openSegment(
  file: string,
  { isLast, isChanged }: SegmentPlace,
  onGroup: (group: ChangeGroup, offset: number) => void,
): Segment {
  const descriptor = fs.openSync(file, 'r+');
  try {
    const { salt, end } = readHeader(descriptor, file);
    let size = end;
    for (let record = readRecord(descriptor, salt, size); record !== undefined; record = readRecord(descriptor, salt, size)) {
      if (record.text === undefined) {
        // A group is written when the one before is on the disk, so a whole record behind this one says that this one was stored.
        if (isChanged && size === end) throw damagedFile(file, record.start);
        if (!isLast || hasRecordAfter(descriptor, salt, record.start)) throw damagedFile(file, record.start, isLast);
        fs.ftruncateSync(descriptor, record.start);
        fs.fsyncSync(descriptor);
        break;
      }
      onGroup(parseExactJson(record.text) as unknown as ChangeGroup, record.start);
      size = record.end;
    }
    if (isChanged && size === end) throw damagedFile(file, end);
    return { file, descriptor, salt, size };
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}
