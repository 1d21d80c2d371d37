import { uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, isForbidden, isNotFound, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import { type DigestKey, digestKey } from '../../merge/dynamic/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { inNamespace } from './namespace.js';
import { labelOf } from './stack-identity.js';

const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const writer = 'fieldwise-inventory';
const keyBytes = 32;

/**
 * Returns the name of the Secret with the key for a stack's digests of Secret values under the strategy `dynamic`; it follows from the
 * field manager.
 */
export function digestKeyName(manager: string): string {
  return `fieldwise-digest-key.${labelOf(manager)}`;
}

function addressOf(namespace: string, manager: string): ObjectAddress {
  return { resource: secrets, namespace, name: digestKeyName(manager) };
}

/**
 * Reads the key of a stack.
 *
 * @param make whether to create the key where none exists. If two runs do so at the same time, one finds the key that the other created.
 * @returns undefined where it does not exist; `unreadable` where the Secret does not contain a key.
 * @throws ApiError without permission.
 */
export async function readDigestKey(
  cluster: ClusterClient,
  namespace: string,
  manager: string,
  make: boolean,
): Promise<DigestKey | 'unreadable' | undefined> {
  const address = addressOf(namespace, manager);
  const found = await cluster.tryGet(address);
  if (found !== undefined) return keyIn(found);
  if (!make) return undefined;
  const body: JsonObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: address.name, namespace, labels: { 'app.kubernetes.io/managed-by': 'fieldwise' } },
    type: 'Opaque',
    immutable: true,
    data: { key: Buffer.from(cluster.machine.randomBytes(keyBytes)).toString('base64') },
  };
  try {
    return keyIn(await inNamespace(cluster, namespace, writer, () => cluster.createByName(address, body, writer)));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error;
    return keyIn(await cluster.get(address));
  }
}

function keyIn({ data }: JsonObject): DigestKey | 'unreadable' {
  const text = isJsonObject(data) ? data.key : undefined;
  const secret = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  return secret.length >= keyBytes ? digestKey(secret) : 'unreadable';
}

/** Deletes the key of a stack that is removed. Does nothing for most stacks: they have no key, and may not read one either. */
export async function removeDigestKey(
  cluster: ClusterClient,
  namespace: string,
  manager: string,
  onWarning: (warning: RunDiagnostic) => void,
): Promise<void> {
  const address = addressOf(namespace, manager);
  try {
    const found = await cluster.tryGet(address);
    if (found === undefined) return;
    const uid = uidOf(found);
    await cluster.delete(address, { uid, propagationPolicy: 'Background' }).catch((error: unknown) => {
      if (isNotFound(error)) return;
      if (!isForbidden(error)) throw error;
      onWarning({
        event: 'warning',
        code: 'digest-key-unavailable',
        message: `Secret ${namespace}/${address.name}, the key for the stack's digests of Secret values, was not deleted: ${error.message}`,
        next: 'Delete it: no object needs it any more. `fieldwise rbac` prints the permissions for it.',
      });
    });
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}
