import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { hasOwned, isUnrecorded } from '../../engine/repairs/cleared-objects.js';
import { entryText } from '../../engine/repairs/rewrite-removed-versions.js';
import { membersOf } from '../../fields/index.js';
import {
  applyEntryOf,
  beforeFirstApply,
  clearedOwnershipOf,
  entriesOfVersions,
  managedFieldsSize,
  recordedFieldsOf,
  releasableFields,
} from '../../ownership/index.js';
import type { CodeOf } from '../../util/error-codes.js';
import type { JsonObject } from '../../util/json.js';

/** What is wrong, or worth knowing, about the recorded owners of an object; see docs/traps.md. */
export type OwnerDiagnosticCode = CodeOf<'diagnostic'>;

export interface OwnerDiagnostic {
  readonly code: OwnerDiagnosticCode;
  /** A deploy fails by it, or leaves something behind; else it is only worth knowing. */
  readonly isError: boolean;
  readonly message: string;
  readonly next: string;
}

/** Who deployed an object, and what it remembers of it. */
export interface Deployed {
  readonly manager: string;
  readonly entry: InventoryEntry;
}

/** Judges by metadata alone. `removed` are the versions that the kind does not have any more. */
export function ownerDiagnostics(
  object: JsonObject,
  deployed: readonly Deployed[],
  removed: ReadonlySet<string>,
): readonly OwnerDiagnostic[] {
  const { uid } = object.metadata as { readonly uid: string };
  const same = deployed.filter(({ entry }) => entry.uid === uid);
  const byServer = same.filter(({ entry }) => entry.strategy !== 'dynamic');
  return [
    removedVersionDiagnostic(object, removed),
    ...same.map((one) => clearedOwnersDiagnostic(object, one)),
    ...byServer.map((one) => ancientChangesDiagnostic(object, one)),
    sizeDiagnostic(object),
  ].filter((diagnostic) => diagnostic !== undefined);
}

function removedVersionDiagnostic(object: JsonObject, removed: ReadonlySet<string>): OwnerDiagnostic | undefined {
  const entries = entriesOfVersions(object, removed).map(entryText);
  if (entries.length === 0) return undefined;
  return {
    code: 'version-removed',
    isError: true,
    message: `managedFields names versions that the kind no longer has, and the server refuses every apply: ${entries.join(', ')}`,
    next: 'Run `fieldwise adopt --stale` with a program of the app; it reaches stacks that the program no longer declares, too.',
  };
}

function clearedOwnersDiagnostic(object: JsonObject, { manager, entry }: Deployed): OwnerDiagnostic | undefined {
  const state = clearedOwnershipOf(object, [manager], entry.initialEntryTime);
  if (state === undefined || isUnrecorded(entry) || (state !== 'shared' && !hasOwned(entry))) return undefined;
  if (state !== 'shared' && entry.strategy === 'dynamic') return undefined; // the memory of the stack says what is its own
  const what = {
    unowned: 'managedFields was wiped: nobody owns anything of the object, and the next apply gives all of it to before-first-apply, too',
    lost: `managedFields was wiped: ${manager} owns nothing of the object any more`,
    shared: `${beforeFirstApply} owns ${sharedWith(object, beforeFirstApply, manager)} of the fields of ${manager}, too: those that its program drops would stay`,
  }[state];
  const next =
    state === 'shared' ? adoptText : `Deploy the stack, then run \`fieldwise adopt\`, before a field is dropped. ${undeclaredText}`;
  return { code: 'managed-fields-cleared', isError: true, message: what, next };
}

/** What moves are fields that a program declares. */
const undeclaredText =
  'Where no program declares the object any more, declare it again first: a destroy that does not delete it would leave these fields.';
const adoptText = `Run \`fieldwise adopt\`. ${undeclaredText}`;

function ancientChangesDiagnostic(object: JsonObject, { manager }: Deployed): OwnerDiagnostic | undefined {
  const shared = sharedWith(object, 'ancient-changes', manager);
  if (shared === 0) return undefined;
  return {
    code: 'ancient-changes',
    isError: false,
    message: `ancient-changes owns ${shared} of the fields of ${manager}, too: those that its program drops would stay`,
    next: adoptText,
  };
}

/** How many innermost fields of a stack an Update manager owns, too, and can give up: where others are inside an item, it stays theirs. */
function sharedWith(object: JsonObject, updater: string, manager: string): number {
  const ours = applyEntryOf(object, manager);
  if (ours === undefined) return 0;
  const theirs = recordedFieldsOf(object).filter(
    (entry) => entry.manager === updater && entry.operation === 'Update' && entry.subresource === '',
  );
  return theirs.reduce((sum, { fields }) => sum + membersOf(releasableFields(fields, ours.fields)).filter(({ leaf }) => leaf).length, 0);
}

/** What etcd accepts of one request unless it is told otherwise. Source: etcd documentation, system limits. */
const etcdMaxRequestBytes = 1.5 * 1024 * 1024;
const largeBytes = 64 * 1024;

function sizeDiagnostic(object: JsonObject): OwnerDiagnostic | undefined {
  const { bytes, entries, owners } = managedFieldsSize(object);
  if (bytes < largeBytes) return undefined;
  const most = owners
    .slice(0, 3)
    .map(({ owner, bytes: own, entries: count }) => `${owner} ${kibibytes(own)}${count > 1 ? ` in ${count}` : ''}`);
  const others = owners.length > 3 ? ` and ${owners.length - 3} more` : '';
  const share = Math.round((bytes / etcdMaxRequestBytes) * 100);
  return {
    code: 'managed-fields-large',
    isError: false,
    message: `managedFields takes ${kibibytes(bytes)} in ${entries} entries, ${share} % of the 1.5 MiB that etcd accepts of one object: ${most.join(', ')}${others}`,
    next: 'Release what managers that are gone still own, by an empty apply under their name, or split the object.',
  };
}

function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
