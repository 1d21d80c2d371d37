import { isDeduced, itemOf, memberOf, type Typed } from '../declared/typed.js';

/**
 * Returns true if the field path of a policy, such as `.spec.ports[port=80].name`, can lead to a field of the type. Keys of free maps are
 * written without quotes and may contain dots, so all readings of the path are tried. Types without a schema accept any path.
 */
export function pathFits(path: string, typed: Typed | undefined): boolean {
  if (!typed || path === '') return true;
  const { map, list, scalar } = typed.type;
  if (path.startsWith('[')) {
    const end = /^\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]/.exec(path)?.[0].length;
    return end !== undefined && list !== undefined && pathFits(path.slice(end), itemOf(typed));
  }
  if (!path.startsWith('.') || !map) return false;
  const rest = path.slice(1);
  const declared = [...map.fields.keys()].filter((name) => rest.startsWith(name) && ['', '.', '['].includes(rest.charAt(name.length)));
  if (declared.some((name) => pathFits(rest.slice(name.length), memberOf(typed, name)))) return true;
  if (!map.element) return map.fields.size === 0 && scalar !== undefined;
  const ends = [...rest.matchAll(/[.[]|$/g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.some((end) => pathFits(rest.slice(end), memberOf(typed, rest.slice(0, end))));
}

/** Returns true if a path without list keys, such as `.spec.template.spec.containers.ports`, can lead to a list of the type. */
export function listPathFits(path: string, typed: Typed | undefined): boolean {
  if (!typed || isDeduced(typed)) return true;
  const { map, list } = typed.type;
  if (path === '') return list !== undefined;
  if (list && listPathFits(path, itemOf(typed))) return true;
  const rest = path.slice(1);
  const names = map ? [...map.fields.keys()].filter((name) => rest === name || rest.startsWith(`${name}.`)) : [];
  if (names.some((name) => listPathFits(rest.slice(name.length), memberOf(typed, name)))) return true;
  if (!map?.element) return false;
  const ends = [...rest.matchAll(/\.|$/g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.some((end) => listPathFits(rest.slice(end), memberOf(typed, rest.slice(0, end))));
}
