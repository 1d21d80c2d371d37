import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the first link on a path below a project, where what is written would be written elsewhere; undefined without one. A clone can bring
 * such a link.
 */
export function linkIn(project: string, below: string): string | undefined {
  let place = project;
  for (const name of below.split(path.sep)) {
    place = path.join(place, name);
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return place;
  }
  return undefined;
}

/** Returns the first link in a directory or below it; undefined without one, also where the directory is not there. */
export function linkBelow(directory: string): string | undefined {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const places = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => path.join(directory, name));
  return places.find((place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink());
}
