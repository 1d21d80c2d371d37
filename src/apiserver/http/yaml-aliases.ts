import type { Json } from '../../util/json.js';
import { YamlTextError } from '../../util/yaml-text-error.js';

/**
 * Checks a value whose parts may be shared by aliases: it must not contain itself, and must not be much larger than its text.
 * Source: observed.
 *
 * @throws YamlTextError
 */
export function checkAliases(source: string, value: Json): Json {
  if (!source.includes('*')) return value;
  const sizes = new Map<object, number | undefined>();
  let own = 0;
  const sizeOf = (part: Json): number => {
    if (typeof part !== 'object' || part === null) return 1;
    if (sizes.has(part)) {
      const known = sizes.get(part);
      if (known === undefined) throw new YamlTextError(`yaml: anchor '${firstAnchor(source)}' value contains itself`);
      return known;
    }
    sizes.set(part, undefined);
    let size = 1;
    own += 1;
    for (const member of Object.values(part)) {
      if (typeof member !== 'object' || member === null) own += 1;
      size += sizeOf(member as Json);
    }
    sizes.set(part, size);
    return size;
  };
  const all = sizeOf(value);
  const aliased = all - own;
  if (aliased > 1000 && aliased / all > allowedRatio(all)) throw new YamlTextError('yaml: document contains excessive aliasing');
  return value;
}

/** Returns the part of all nodes that aliases may be: less of a larger value. Source: observed. */
function allowedRatio(nodes: number): number {
  if (nodes <= 400_000) return 0.99;
  return nodes >= 4_000_000 ? 0.1 : 0.99 - (0.89 * (nodes - 400_000)) / 3_600_000;
}

function firstAnchor(source: string): string {
  return /&([^\s,[\]{}]+)/.exec(source)?.[1] ?? '';
}
