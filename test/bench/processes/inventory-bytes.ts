import { inventoryLabel } from '../../../lib/src/engine/inventory/stack-identity.js';
import type { Connection } from '../bare-loop.js';
import { getText } from './get-text.js';

interface ConfigMaps {
  readonly items: readonly { readonly data?: Readonly<Record<string, string>>; readonly binaryData?: Readonly<Record<string, string>> }[];
}

/** Returns the bytes of all inventories of the server: the data of their ConfigMaps, as JSON. */
export async function inventoryBytes(connection: Connection): Promise<number> {
  const path = `/api/v1/namespaces/fieldwise-system/configmaps?labelSelector=${encodeURIComponent(inventoryLabel)}`;
  const { items } = JSON.parse(await getText(connection, path)) as ConfigMaps;
  return items.reduce((sum, { data, binaryData }) => sum + Buffer.byteLength(JSON.stringify({ data, binaryData })), 0);
}
