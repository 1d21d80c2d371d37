import { seenWarnings } from './warning-parts.js';

/** A path in a volume, and what puts a file there. */
export interface SourcedPath {
  readonly path: string;
  /** Empty if the volume has only one source. */
  readonly source: string;
}

interface Known {
  readonly shown: string;
  /** Its place among the different paths of the volume. */
  readonly place: number;
  /** The number of different paths that it was compared with. */
  compared: number;
}

interface Directory {
  readonly entries: Map<string, Directory>;
  /** The paths that end here, by source. */
  readonly here: Map<string, Known>;
  /** All paths that end here or below, in their order. */
  readonly below: Known[];
}

/** Returns which of the paths of a volume are the same, or inside of each other: each with the earlier ones. Source: observed. */
export function overlappingPaths(paths: readonly SourcedPath[]): readonly string[] {
  const root = newDirectory();
  const found: string[] = [];
  let count = 0;
  for (const { path, source } of paths) {
    const trimmed = withoutSlashes(path);
    if (found.length >= seenWarnings) break;
    if (trimmed === '') continue;
    const way = wayTo(root, trimmed);
    const last = way.at(-1) as Directory;
    const before = last.here.get(source);
    const shown = before?.shown ?? JSON.stringify(trimmed) + (source === '' ? '' : ` (${source})`);
    for (const other of newOverlaps(way, before?.compared ?? 0)) found.push(`${shown} with ${other.shown}`);
    if (before !== undefined) before.compared = count;
    else addPath(way, source, { shown, place: count, compared: count++ });
  }
  return found;
}

function newDirectory(): Directory {
  return { entries: new Map(), here: new Map(), below: [] };
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Returns the directories on the way to a path, the path itself as the last. */
function wayTo(root: Directory, path: string): readonly Directory[] {
  let directory = root;
  return path.split('/').map((name) => {
    const next = directory.entries.get(name) ?? newDirectory();
    directory.entries.set(name, next);
    directory = next;
    return next;
  });
}

function addPath(way: readonly Directory[], source: string, known: Known): void {
  way.at(-1)?.here.set(source, known);
  for (const directory of way) directory.below.push(known);
}

/** Returns the paths that overlap with the last one, without those that it was compared with before. */
function newOverlaps(way: readonly Directory[], compared: number): readonly Known[] {
  const above = way.slice(0, -1).flatMap(({ here }) => (here.size === 0 ? [] : newest([...here.values()], compared)));
  const others = [...above, ...newest(way.at(-1)?.below ?? [], compared)];
  return others.sort((left, right) => left.place - right.place);
}

function newest(known: readonly Known[], compared: number): readonly Known[] {
  let start = known.length;
  while (start > 0 && (known[start - 1] as Known).place >= compared) start--;
  return known.slice(start, start + seenWarnings);
}
