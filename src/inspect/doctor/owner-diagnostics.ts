import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { isUnrecorded } from '../../engine/object/cleared-since.js';
import { entryText } from '../../engine/object/rewrite-removed-versions.js';
import { type OtherPruner, otherPrunersOf } from '../../engine/pruners/other-pruners.js';
import { hasOwned } from '../../engine/repairs/cleared-objects.js';
import { lastAppliedDiagnostic } from '../../engine/transfer/last-applied-diagnostic.js';
import { emptyFieldSet, membersOf, union } from '../../fields/index.js';
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

/** The code of a diagnostic about the recorded owners of an object; see docs/traps.md. */
export type OwnerDiagnosticCode = CodeOf<'diagnostic'>;

export interface OwnerDiagnostic {
  readonly code: OwnerDiagnosticCode;
  /** True if a deploy fails because of it, or leaves fields behind; otherwise the diagnostic only informs. */
  readonly isError: boolean;
  readonly message: string;
  readonly next: string;
}

/** The manager that deployed an object, and its inventory entry. */
export interface Deployed {
  readonly manager: string;
  readonly entry: InventoryEntry;
}

/**
 * Diagnoses the recorded owners of an object by its metadata alone.
 *
 * @param removed the versions that the kind no longer has.
 */
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
    ...(same.some(({ entry }) => entry.lifecycle === 'own') ? otherPrunersOf(object) : []).map(prunerDiagnostic),
    heldByOtherDiagnostic(object, same),
    sizeDiagnostic(object),
  ].filter((diagnostic) => diagnostic !== undefined);
}

function prunerDiagnostic({ code, message, next }: OtherPruner): OwnerDiagnostic {
  return { code, isError: false, message, next };
}

/** All stacks of an object in one diagnostic. */
function heldByOtherDiagnostic(object: JsonObject, deployed: readonly Deployed[]): OwnerDiagnostic | undefined {
  const managers = deployed.map(({ manager }) => manager);
  const owned = managers.flatMap((manager) => applyEntryOf(object, manager)?.fields ?? []).reduce(union, emptyFieldSet);
  const found = lastAppliedDiagnostic(object, owned, managers);
  return found && { isError: false, ...found };
}

function removedVersionDiagnostic(object: JsonObject, removed: ReadonlySet<string>): OwnerDiagnostic | undefined {
  const entries = entriesOfVersions(object, removed).map(entryText);
  if (entries.length === 0) return undefined;
  return {
    code: 'version-removed',
    isError: true,
    message: `managedFields names versions that the kind no longer has, so the server rejects every apply: ${entries.join(', ')}`,
    next: 'Run `fieldwise adopt --stale` with a program of the app; it includes stacks that the program no longer declares.',
  };
}

function clearedOwnersDiagnostic(object: JsonObject, { manager, entry }: Deployed): OwnerDiagnostic | undefined {
  const state = clearedOwnershipOf(object, [manager], entry.initialEntryTime);
  if (state === undefined || isUnrecorded(entry) || (state !== 'shared' && !hasOwned(entry))) return undefined;
  if (state !== 'shared' && entry.strategy === 'dynamic') return undefined; // The applied intent on the object lists the fields of the stack.
  const message = {
    unowned: 'managedFields was wiped: the object has no owners, and the next apply makes before-first-apply an owner of all its fields',
    lost: `managedFields was wiped: ${manager} no longer owns fields of the object`,
    shared: `${beforeFirstApply} also owns ${sharedWith(object, beforeFirstApply, manager)} of the fields of ${manager}: fields that its program drops would stay`,
  }[state];
  const next =
    state === 'shared' ? adoptText : `Deploy the stack, then run \`fieldwise adopt\`, before a field is dropped. ${undeclaredText}`;
  return { code: 'managed-fields-cleared', isError: true, message, next };
}

/** `adopt` ends the ownership of fields that a program declares, and of no others. */
const undeclaredText =
  'If no program declares the object any more, declare it again first: a destroy that does not delete it would leave these fields.';
const adoptText = `Run \`fieldwise adopt\`. ${undeclaredText}`;

function ancientChangesDiagnostic(object: JsonObject, { manager }: Deployed): OwnerDiagnostic | undefined {
  const shared = sharedWith(object, 'ancient-changes', manager);
  if (shared === 0) return undefined;
  return {
    code: 'ancient-changes',
    isError: false,
    message: `ancient-changes also owns ${shared} of the fields of ${manager}: fields that its program drops would stay`,
    next: adoptText,
  };
}

/**
 * Returns the number of leaf fields of a stack that an Update manager also owns and can release; it cannot release items with fields of
 * others.
 */
function sharedWith(object: JsonObject, updater: string, manager: string): number {
  const stackEntry = applyEntryOf(object, manager);
  if (stackEntry === undefined) return 0;
  const updaterEntries = recordedFieldsOf(object).filter(
    (entry) => entry.manager === updater && entry.operation === 'Update' && entry.subresource === '',
  );
  return updaterEntries.reduce(
    (sum, { fields }) => sum + membersOf(releasableFields(fields, stackEntry.fields)).filter(({ leaf }) => leaf).length,
    0,
  );
}

/** The default limit of etcd for one request. Source: etcd documentation, system limits. */
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
    message: `managedFields takes ${kibibytes(bytes)} in ${entries} entries, ${share} % of the 1.5 MiB that etcd accepts for one object: ${most.join(', ')}${others}`,
    next: 'Release the fields of managers that no longer write, by an empty apply under their name, or split the object.',
  };
}

function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
