import type { ResponseBody } from './api-client.js';

/** One field as a reader wants to see it. */
export interface FieldRow {
  readonly path: string;
  readonly value: ResponseBody;
  /** As in `ownersOf`. */
  readonly owners: readonly string[];
}

/** The fields of an object that have owners, in the object's own order, each with its value; metadata that the server keeps is left out. */
export function fieldRows(object: ResponseBody): FieldRow[] {
  const rows = new Map<string, { value: ResponseBody; owners: string[] }>();
  for (const { manager, operation, subresource, fieldsV1 } of object.metadata.managedFields ?? []) {
    const facts = [operation === 'Update' ? 'Update' : '', subresource ?? ''].filter((fact) => fact !== '');
    const owner = facts.length > 0 ? `${manager} (${facts.join(', ')})` : manager;
    for (const [path, value] of innermost(fieldsV1, object, '')) {
      const row = rows.get(path) ?? { value, owners: [] };
      rows.set(path, { ...row, owners: [...row.owners, owner].sort() });
    }
  }
  return [...rows].map(([path, row]) => ({ path, ...row })).sort((left, right) => (left.path < right.path ? -1 : 1));
}

function innermost(fields: Record<string, ResponseBody>, value: ResponseBody, path: string): [path: string, value: ResponseBody][] {
  const children = Object.entries(fields).filter(([name]) => name !== '.');
  if (children.length === 0) return path === '' ? [] : [[path, value]];
  return children.flatMap(([name, below]) => {
    const content = name.slice(2);
    if (name.startsWith('f:')) return innermost(below, value?.[content], `${path}.${content}`);
    if (name.startsWith('v:')) return innermost(below, JSON.parse(content), `${path}[=${content}]`);
    const keys = Object.entries(JSON.parse(content));
    const item = value?.find((candidate: ResponseBody) => keys.every(([key, expected]) => candidate[key] === expected));
    return innermost(below, item, `${path}[${keys.map(([key, expected]) => `${key}=${JSON.stringify(expected)}`).join(',')}]`);
  });
}
