import type { Json } from '../../util/json.js';

/** Returns true if an object takes more than some bytes: its keys and values, without what encodings add to them. */
export function exceedsSize(object: Json, limit: number): boolean {
  let size = 0;
  const pending: Json[] = [object];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) for (const item of value as readonly Json[]) pending.push(item);
    else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        size += name.length + 2;
        const member = (value as Record<string, Json | undefined>)[name];
        if (typeof member === 'string') size += member.length;
        else if (member !== undefined && member !== null) pending.push(member);
      }
    } else size += 4;
    if (size > limit) return true;
  }
  return false;
}
