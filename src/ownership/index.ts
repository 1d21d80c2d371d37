export type { AppliedIntent } from './applied-intent.js';
export {
  appliedAnnotation,
  appliedIntentOf,
  fieldsOfApplied,
  isAppliedAnnotation,
  isAppliedIntentField,
  isPreexisting,
  writeAppliedIntent,
} from './applied-intent.js';
export type { ApplyOutcome, ApplyRequest } from './apply-request.js';
export { applyRequest } from './apply-request.js';
export type { OwnershipCache } from './cache.js';
export { createCache } from './cache.js';
export type { ClearedOwnership } from './cleared-ownership.js';
export {
  beforeFirstApply,
  clearedOwnershipOf,
  fieldsBeforeFirstApply,
  isBeforeFirstApply,
  releasableByInitialEntry,
  unreleasableFields,
} from './cleared-ownership.js';
export type { CollateralField } from './collateral-fields.js';
export { collateralFields, itemsAppliedBy } from './collateral-fields.js';
export type { ConflictCause, ConflictStatus } from './conflict-status.js';
export { conflictStatus } from './conflict-status.js';
export type { ConflictingField } from './conflicting-fields.js';
export { conflictingFields } from './conflicting-fields.js';
export { containerOwners } from './container-owners.js';
export { coveringLength, covers, hasDescendants } from './covers.js';
export type { Ownership } from './entries.js';
export { readEntries, writeEntries } from './entries.js';
export { extractOwnedFields } from './extract-owned-fields.js';
export type { Applying, FieldConflict } from './field-conflict.js';
export { additionalLostFields, describeConflicts, hasUnlistedConflict, isOwned } from './field-conflict.js';
export type { OwnedField } from './field-owners.js';
export { ownedFields, ownersAt } from './field-owners.js';
export type { Owner } from './identity.js';
export { identityOf, ownerOf } from './identity.js';
export { ignoredFields } from './ignored-fields.js';
export { isIntentApplied } from './is-intent-applied.js';
export { lastAppliedAnnotation } from './last-applied.js';
export type { ManagedFieldsEntry } from './managed-fields.js';
export {
  anotherWriter,
  appliedLast,
  applyEntryOf,
  isApplyEntryOf,
  managedFieldsOf,
  ownerText,
  recordedFieldsOf,
} from './managed-fields.js';
export type { ManagedFieldsSize } from './managed-fields-size.js';
export { managedFieldsSize } from './managed-fields-size.js';
export type { EntryIdentity } from './releasable-fields.js';
export { entriesWith, entriesWithout, releasableFields } from './releasable-fields.js';
export type { EntryOfVersion, RewrittenEntries } from './removed-versions.js';
export { entriesOfVersions, otherVersionsIn, withoutVersions } from './removed-versions.js';
export type { RequestScope } from './request-scope.js';
export type { ScaleMapping } from './scale.js';
export { mainEntries, scaleEntries } from './scale.js';
export { scaleRoot } from './scale-type.js';
export { declaredByKubectl, lastAppliedOf, trimmedLastApplied } from './trim-last-applied.js';
export type { RefusedField } from './union-members.js';
export { blockingUnionMembers } from './union-members.js';
export { type UnreadableEntry, unreadableEntries, withReadableEntries } from './unreadable-entries.js';
export type { UpdateRequest } from './update-request.js';
export { updateRequest } from './update-request.js';
export { withoutNewTimes } from './without-new-times.js';
