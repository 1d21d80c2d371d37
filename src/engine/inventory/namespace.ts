import { ApiError, type Cluster, isForbidden, namespaces } from '../../kubernetes/index.js';

/**
 * Runs a request that creates something in the namespace of the inventories; makes the namespace first where it is missing. Without the
 * right to make it, the request's own error tells.
 */
export async function inNamespace<T>(cluster: Cluster, name: string, manager: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    await cluster.create(namespaces, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, manager).catch(unlessThere);
    return create();
  }
}

/** Whether an error says that the namespace of a request does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404 && /^namespaces "/.test(error.message);
}

function unlessThere(error: unknown): void {
  const forbidden = isForbidden(error);
  const there = error instanceof ApiError && error.reason === 'AlreadyExists';
  if (!forbidden && !there) throw error;
}

export const defaultInventoryNamespace = 'fieldwise-system';
