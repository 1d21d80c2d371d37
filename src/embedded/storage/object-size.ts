import type { Json } from '../../util/json.js';

/** Returns true if the JSON text of an object, without its escapes, has more than some characters. */
export function exceedsSize(object: Json, limit: number): boolean {
  let size = 0;
  const pending: Json[] = [object];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') size += value.length + 3;
    else if (Array.isArray(value)) {
      size += 3;
      for (const item of value as readonly Json[]) pending.push(item);
    } else if (typeof value === 'object' && value !== null) {
      size += 3;
      for (const name in value) {
        size += name.length + 3;
        const member = (value as Record<string, Json | undefined>)[name];
        if (typeof member === 'string') size += member.length + 3;
        else if (member !== undefined && member !== null) pending.push(member);
      }
    } else size += 5;
    if (size > limit) return true;
  }
  return false;
}
