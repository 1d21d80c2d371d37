import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the nearest directory, at or above an absolute one, that contains a file or directory of a name; undefined if none does. */
export function nearestWith(directory: string, name: string): string | undefined {
  for (let candidate = directory; ; candidate = path.dirname(candidate)) {
    if (existsSync(path.join(candidate, name))) return candidate;
    if (candidate === path.dirname(candidate)) return undefined;
  }
}
