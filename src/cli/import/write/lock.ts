import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LockedNames } from '../../../../codegen/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { Json } from '../../../util/json.js';
import { isJsonObject } from '../../../util/json.js';
import { digestOf, sortedMembers } from '../digest.js';
import type { ImportSource } from '../read/source.js';
import { shownSpec } from '../read/url.js';
import { requirePlainPath } from './plain-path.js';

/** The lock file of an import: its sources and the names of its types. It is written beside the builders, to be committed with them. */
export interface ImportLock {
  readonly fieldwise: 1;
  /** Sources by their spec as written, without credentials and tokens. */
  readonly sources: Readonly<Record<string, LockedSource>>;
  readonly names: LockedNames;
  /** The generated files, by the directory of an API group, or `k8s` for the built-in API; absent in lock files of earlier versions. */
  readonly generated?: Readonly<Record<string, LockedFiles>>;
}

/** Files that were generated together. */
export interface LockedFiles {
  /** Digest of everything that they are generated from: CRDs, list types, names, options, and the generator. */
  readonly from: string;
  /** Digest of each file by its path below the output directory. */
  readonly files: Readonly<Record<string, string>>;
}

export interface LockedSource {
  /** Digest of all parts. */
  readonly digest: string;
  /** Digest of each CRD by its name, or of each OpenAPI document by its path, without the fields that a server writes. */
  readonly parts: Readonly<Record<string, string>>;
  /** List types that override those of its CRDs, sorted; absent if there are none. */
  readonly listTypes?: readonly string[];
}

export const lockName = 'fieldwise.lock.json';

export const emptyLock: ImportLock = { fieldwise: 1, sources: {}, names: {} };

/**
 * Reads the lock file of an output directory; undefined if it does not exist.
 *
 * @throws FieldwiseError `lock-invalid`, `output-is-link`, `output-not-generated`.
 */
export async function readLock(output: string, cwd: string): Promise<ImportLock | undefined> {
  await requirePlainPath(resolve(cwd, output), lockName, output);
  let lock: unknown;
  try {
    lock = JSON.parse(await readFile(resolve(cwd, output, lockName), 'utf8'));
  } catch (error) {
    // If the output is a file (ENOTDIR), the later write fails.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
  }
  if (isLock(lock)) return withoutCredentials(lock);
  throw new FieldwiseError('lock-invalid', 'usage', 'The lock file cannot be read', {
    location: { file: join(output, lockName) },
    next: 'Restore it from version control, or delete it to choose all names again.',
  });
}

// Earlier versions wrote addresses with their credentials.
function withoutCredentials(lock: ImportLock): ImportLock {
  return { ...lock, sources: Object.fromEntries(Object.entries(lock.sources).map(([spec, source]) => [shownSpec(spec), source])) };
}

function isLock(value: unknown): value is ImportLock {
  if (!isJsonObject(value) || value.fieldwise !== 1) return false;
  if (!isJsonObject(value.sources) || !isJsonObject(value.names)) return false;
  const texts = (member: Json | undefined) => isJsonObject(member) && Object.values(member).every((text) => typeof text === 'string');
  return (
    Object.values(value.sources).every(
      (source) => isJsonObject(source) && typeof source.digest === 'string' && texts(source.parts) && areTexts(source.listTypes),
    ) &&
    Object.values(value.names).every(texts) &&
    (value.generated === undefined ||
      (isJsonObject(value.generated) &&
        Object.values(value.generated).every((entry) => isJsonObject(entry) && typeof entry.from === 'string' && texts(entry.files))))
  );
}

function areTexts(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.every((text: Json) => typeof text === 'string'));
}

/** Returns the text of the lock file, sorted, so that the same import gives the same bytes. */
export function lockText(lock: ImportLock): string {
  return `${JSON.stringify(sortedMembers(lock as unknown as Json), undefined, 2)}\n`;
}

/** Returns the entry of a source for the lock file. */
export function lockedSource(
  { crds, openApi, spec }: ImportSource,
  overlays: ReadonlySet<{ readonly text: string }> | undefined,
): LockedSource {
  const parts: [string, string][] = [
    ...crds.map(({ document, digest }): [string, string] => [
      nameOfCrd(document),
      digest ?? digestOf(isJsonObject(document) ? document.spec : null),
    ]),
    ...openApi.map(({ name, document }): [string, string] => {
      const { paths, components } = isJsonObject(document) ? document : {};
      return [name, digestOf({ paths, components })];
    }),
  ];
  const known = Object.fromEntries(parts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const listTypes = [...(overlays ?? [])].map(({ text }) => text).sort();
  const all = { parts: known, ...(listTypes.length === 0 ? {} : { listTypes }) };
  return { digest: digestOf({ name: spec.name, ...all }), ...all };
}

/** Returns `PLURAL.GROUP`, the name that every CRD must have. */
export function nameOfCrd(document: unknown): string {
  const spec = isJsonObject(document) && isJsonObject(document.spec) ? document.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  return `${String(names.plural)}.${String(spec.group)}`;
}

/** Describes the changes of sources since the last import, one sentence per source. */
export function changesSince(before: ImportLock, sources: ImportLock['sources']): string[] {
  const changes: string[] = [];
  for (const [spec, source] of Object.entries(sources)) {
    const known = Object.hasOwn(before.sources, spec) ? before.sources[spec] : undefined;
    if (known === undefined || known.digest === source.digest) continue;
    const old = new Map(Object.entries(known.parts));
    const now = new Map(Object.entries(source.parts));
    const parts = [
      ...changeText(
        'differs',
        [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)),
      ),
      ...changeText(
        'is new',
        [...now.keys()].filter((name) => !old.has(name)),
      ),
      ...changeText(
        'is removed',
        [...old.keys()].filter((name) => !now.has(name)),
      ),
      ...listTypesSince(known.listTypes ?? [], source.listTypes ?? []),
    ];
    changes.push(`${spec} changed since the last import${parts.length === 0 ? '' : `: ${parts.join('; ')}`}`);
  }
  return changes;
}

function listTypesSince(before: readonly string[], now: readonly string[]): string[] {
  const added = now.filter((text) => !before.includes(text));
  const removed = before.filter((text) => !now.includes(text));
  return [
    ...(added.length > 0 ? [`with list type ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`without list type ${removed.join(', ')}`] : []),
  ];
}

/** Describes the added and removed types of existing modules, one sentence per module. */
export function namesSince(before: LockedNames, names: LockedNames): string[] {
  return Object.entries(names).flatMap(([module, now]) => {
    const old = Object.hasOwn(before, module) ? before[module] : undefined;
    if (old === undefined) return [];
    const parts = [
      ...changeText(
        'is new',
        Object.keys(now).filter((name) => !Object.hasOwn(old, name)),
      ),
      ...changeText(
        'is removed',
        Object.keys(old).filter((name) => !Object.hasOwn(now, name)),
      ),
    ];
    return parts.length === 0 ? [] : [`types of ${module}: ${parts.join('; ')}`];
  });
}

/**
 * Rejects any difference from the lock file, for `--frozen`.
 *
 * @throws FieldwiseError `lock-differs`.
 */
export function requireFrozen(before: ImportLock | undefined, sources: ImportLock['sources'], output: string): void {
  const known = before ?? emptyLock;
  const unknown = Object.keys(sources).filter((spec) => !Object.hasOwn(known.sources, spec));
  const changes = [...unknown.map((spec) => `${spec} is not in the lock file`), ...changesSince(known, sources)];
  if (changes.length === 0) return;
  throw new FieldwiseError('lock-differs', 'usage', `The import differs from the lock file: ${changes.join('; ')}`, {
    location: { file: join(output, lockName) },
    next: 'Run the import without --frozen, review the changes, and commit the builders and the lock file.',
  });
}

function changeText(what: string, names: readonly string[]): string[] {
  const verb = names.length > 1 ? what.replace('is ', 'are ').replace('differs', 'differ') : what;
  const shown = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return names.length === 0 ? [] : [`${shown.join(', ')} ${verb}`];
}
