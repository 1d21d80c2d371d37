import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { damagedFile } from './data-damaged.js';
import { syncData, syncDirectory, writeAt } from './durable-file.js';
import { encodeRecord, readRecord } from './record.js';
import { fileNameOf, headerOf, readHeader } from './segment.js';
import type { StoreContent } from './store.js';

/** The characters of JSON between two pauses: less than a millisecond of work. */
const sliceLength = 128 * 1024;

type StoredObjects = StoreContent['objects'];

/**
 * Writes a snapshot in slices, between which other work is done.
 *
 * @param isCanceled checked after each slice; a canceled snapshot leaves nothing.
 * @returns its size in bytes; undefined if it was canceled.
 */
export async function writeSnapshot(
  directory: string,
  { revision, objects }: StoreContent,
  sync: boolean,
  isCanceled: () => boolean = () => false,
): Promise<number | undefined> {
  const file = path.join(directory, fileNameOf('snapshot', revision));
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  const descriptor = fs.openSync(temporary, 'wx', 0o600);
  let size = 0;
  try {
    for (const record of recordsOf(revision, objects)) {
      writeAt(descriptor, record, size);
      size += record.length;
      await new Promise(setImmediate);
      if (isCanceled()) return undefined;
    }
    if (sync) await syncData(descriptor);
    if (isCanceled()) return undefined;
    fs.renameSync(temporary, file);
    if (sync) syncDirectory(directory);
    return size;
  } finally {
    fs.closeSync(descriptor);
    fs.rmSync(temporary, { force: true });
  }
}

function* recordsOf(revision: number, objects: StoredObjects): Generator<Uint8Array> {
  const salt = randomBytes(8).toString('hex');
  yield headerOf('snapshot', revision, salt);
  let slice: string[] = [];
  let length = 0;
  for (const stored of objects) {
    const text = stringifyExactJson(stored as never);
    slice.push(text);
    length += text.length;
    if (length < sliceLength) continue;
    yield encodeRecord(salt, `[${slice.join(',')}]`);
    slice = [];
    length = 0;
  }
  yield encodeRecord(salt, `[${slice.join(',')}]`);
  // The last record: without it, the snapshot is not whole.
  yield encodeRecord(salt, JSON.stringify({ count: objects.length }));
}

/** Reads a snapshot. @throws FieldwiseError `cluster-data-damaged` */
export function readSnapshot(directory: string, revision: number): StoreContent & { readonly size: number } {
  const file = path.join(directory, fileNameOf('snapshot', revision));
  const descriptor = fs.openSync(file, 'r');
  try {
    const { salt, end } = readHeader(descriptor, file);
    const objects: StoredObjects[number][] = [];
    for (let offset = end; ; ) {
      const record = readRecord(descriptor, salt, offset);
      if (record?.text === undefined) throw damagedFile(file, offset);
      const content = parseExactJson(record.text) as unknown as StoredObjects | { readonly count: number };
      if ('count' in content) {
        if (content.count !== objects.length) throw damagedFile(file, offset);
        return { revision, objects, size: record.end };
      }
      objects.push(...content);
      offset = record.end;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
