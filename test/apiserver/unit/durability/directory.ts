import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ChangeLogOptions } from '../../../../src/apiserver/storage/change-log.js';
import { type DataDirectory, openDataDirectory } from '../../../../src/apiserver/storage/data-directory.js';
import type { Store, StoreKey } from '../../../../src/apiserver/storage/store.js';
import type { JsonObject } from '../../../../src/util/json.js';

/** A new name in a directory that is removed after the test. */
export function freshDirectory(): string {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'fieldwise-durability-'));
  onTestFinished(() => fs.rmSync(parent, { recursive: true, force: true }));
  return path.join(parent, 'data');
}

export const keyOf = (name: string): StoreKey => ({ resource: '/configmaps', namespace: 'default', name });

export function configMap(name: string, value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { value } };
}

/** What a store has, as text that can be compared. */
export function contentOf(store: Store): string {
  const values = store.list('/configmaps').map((object) => `${(object.metadata as JsonObject).name}=${(object.data as JsonObject).value}`);
  return `${store.revision}: ${values.join(' ')}`;
}

/** Opens a directory, reads what it has and closes it. */
export async function contentAt(directory: string): Promise<string> {
  const opened = await openDataDirectory(directory, { fsync: false });
  opened.close();
  return contentOf(opened.store);
}

/** A change and the state after it. */
export async function put(data: DataDirectory, name: string, value: string): Promise<string> {
  data.store.put(keyOf(name), configMap(name, value));
  await data.store.committed();
  return contentOf(data.store);
}

export async function remove(data: DataDirectory, name: string): Promise<string> {
  data.store.remove(keyOf(name));
  await data.store.committed();
  return contentOf(data.store);
}

export function open(directory: string, options: Partial<ChangeLogOptions> = {}): Promise<DataDirectory> {
  return openDataDirectory(directory, { fsync: false, ...options });
}

/** A copy of a directory in which one file is different. */
export function copyWith(directory: string, name: string, content: Buffer): string {
  const copy = freshDirectory();
  fs.cpSync(directory, copy, { recursive: true });
  fs.writeFileSync(path.join(copy, name), content);
  return copy;
}

/** The only file of a directory whose name begins so. */
export function fileIn(directory: string, prefix: string): string {
  const names = fs.readdirSync(directory).filter((name) => name.startsWith(prefix));
  if (names.length !== 1) throw new Error(`${directory} has ${names.join(', ')}`);
  return names[0] as string;
}
