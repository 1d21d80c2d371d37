import type { ResponseBody } from './api-client.js';

/** Field paths by owner: `gateway` for an applier, `kubectl (Update)`, `kubelet (Update, status)`. */
export type Owners = Record<string, string[]>;

/**
 * Who owns what, as the server records it: the innermost fields of each entry of managedFields. Written from the format's
 * description and not from `src/fields`, which the tests are to check.
 */
export function ownersOf(object: ResponseBody): Owners {
  const owners: Owners = {};
  for (const { manager, operation, subresource, fieldsV1 } of object?.metadata?.managedFields ?? []) {
    const facts = [operation === 'Update' ? 'Update' : '', subresource ?? ''].filter((fact) => fact !== '');
    const owner = facts.length > 0 ? `${manager} (${facts.join(', ')})` : manager;
    owners[owner] = [...(owners[owner] ?? []), ...innermost(fieldsV1, '')].sort();
  }
  return owners;
}

function innermost(fields: Record<string, ResponseBody> | undefined, path: string): string[] {
  const children = Object.entries(fields ?? {}).filter(([name]) => name !== '.');
  if (children.length === 0) return path === '' ? [] : [path];
  return children.flatMap(([name, below]) => innermost(below, path + step(name)));
}

function step(name: string): string {
  const content = name.slice(2);
  if (name.startsWith('f:')) return `.${content}`;
  if (name.startsWith('v:')) return `[=${content}]`;
  if (name.startsWith('i:')) return `[${content}]`;
  const keys = Object.entries(JSON.parse(content)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `[${keys.join(',')}]`;
}
