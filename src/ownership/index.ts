export type { ClearedOwnership } from './managed-fields/cleared-ownership.js';
export {
  beforeFirstApply,
  clearedOwnershipOf,
  fieldsBeforeFirstApply,
  isBeforeFirstApply,
  releasableByInitialEntry,
  unreleasableFields,
} from './managed-fields/cleared-ownership.js';
export type { Ownership } from './managed-fields/entries.js';
export { readEntries, writeEntries } from './managed-fields/entries.js';
export type { Owner } from './managed-fields/identity.js';
export { ownerIdentity, ownerOf } from './managed-fields/identity.js';
export type { KnownManager, ManagerKey, Tool } from './managed-fields/known-manager.js';
export { knownManager } from './managed-fields/known-manager.js';
export {
  appliesLastApplied,
  clientSideApplyManager,
  isOfClientSideKubectl,
  lastAppliedAnnotation,
  readLastApplied,
} from './managed-fields/last-applied.js';
export type { ManagedFieldsEntry } from './managed-fields/managed-fields.js';
export {
  anotherWriter,
  appliedLast,
  applyEntryOf,
  isApplyEntryOf,
  managedFieldsOf,
  ownerText,
  recordedFieldsOf,
} from './managed-fields/managed-fields.js';
export type { ManagedFieldsSize } from './managed-fields/managed-fields-size.js';
export { managedFieldsSize } from './managed-fields/managed-fields-size.js';
export type { EntryOfVersion, RewrittenEntries } from './managed-fields/removed-versions.js';
export { entriesOfVersions, otherVersionsIn, withoutVersions } from './managed-fields/removed-versions.js';
export { declaredByKubectl, lastAppliedOf, trimmedLastApplied } from './managed-fields/trim-last-applied.js';
export { type UnreadableEntry, unreadableEntries, withReadableEntries } from './managed-fields/unreadable-entries.js';
export { withoutManagedFields } from './object.js';
export type { CollateralField } from './owners/collateral-fields.js';
export { collateralFields, itemsAppliedBy } from './owners/collateral-fields.js';
export type { ConflictCause, ConflictStatus } from './owners/conflict-status.js';
export { conflictStatus } from './owners/conflict-status.js';
export type { ConflictingField } from './owners/conflicting-fields.js';
export { conflictingFields } from './owners/conflicting-fields.js';
export { containerOwners } from './owners/container-owners.js';
export { coveringLength, covers, hasDescendants } from './owners/covers.js';
export { extractOwnedFields } from './owners/extract-owned-fields.js';
export type { Applying, FieldConflict } from './owners/field-conflict.js';
export { additionalLostFields, conflictOwnerIn, describeConflicts, hasUnlistedConflict, isOwned } from './owners/field-conflict.js';
export type { OwnedField } from './owners/field-owners.js';
export { ownedFields, ownersAt } from './owners/field-owners.js';
export type { ForcedPass, PassField, PassLoss, PassOutcome } from './owners/forced-pass.js';
export { forcedPassOf, outcomeOfLoss, outcomeOfPass } from './owners/forced-pass.js';
export { neverOwned } from './owners/never-owned.js';
export type { OwnedTreeNode } from './owners/owned-tree.js';
export { ownedTree } from './owners/owned-tree.js';
export type { EntryIdentity } from './owners/releasable-fields.js';
export { entriesWith, entriesWithout, releasableFields } from './owners/releasable-fields.js';
export type { RefusedField } from './owners/union-members.js';
export { blockingUnionMembers } from './owners/union-members.js';
export type { AppliedIntent } from './requests/applied-intent.js';
export {
  appliedAnnotation,
  appliedIntentOf,
  appliedIntentsOf,
  fieldsOfApplied,
  isAppliedAnnotation,
  isAppliedIntentField,
  isPreexisting,
  writeAppliedIntent,
} from './requests/applied-intent.js';
export type { ApplyOutcome, ApplyRequest } from './requests/apply-request.js';
export { applyRequest } from './requests/apply-request.js';
export type { OwnershipCache } from './requests/cache.js';
export { createCache } from './requests/cache.js';
export { ignoredFields } from './requests/ignored-fields.js';
export { isIntentApplied } from './requests/is-intent-applied.js';
export type { RequestScope } from './requests/request-scope.js';
export type { ScaleMapping } from './requests/scale.js';
export { mainEntries, scaleEntries } from './requests/scale.js';
export { scaleRoot } from './requests/scale-type.js';
export type { UpdateRequest } from './requests/update-request.js';
export { updateRequest } from './requests/update-request.js';
export { withoutNewTimes } from './requests/without-new-times.js';
