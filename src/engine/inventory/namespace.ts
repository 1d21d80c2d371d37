import { ApiError, type ClusterClient, isForbidden, namespaces } from '../../kubernetes/index.js';

/**
 * Runs a request that creates something in the namespace of the inventories; creates the namespace first where it is missing. Without the
 * right to create it, the request's own error is thrown.
 */
export async function inNamespace<T>(cluster: ClusterClient, name: string, manager: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    await cluster
      .create(namespaces, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, manager)
      .catch(ignoreExistingOrForbidden);
    return create();
  }
}

/** Returns true if an error says that the namespace of a request does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404 && /^namespaces "/.test(error.message);
}

function ignoreExistingOrForbidden(error: unknown): void {
  const forbidden = isForbidden(error);
  const exists = error instanceof ApiError && error.reason === 'AlreadyExists';
  if (!forbidden && !exists) throw error;
}

/** The namespace of inventories and locks where the configuration names none. */
export const defaultInventoryNamespace = 'fieldwise-system';
