export { anotherWriter } from './another-writer.js';
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
export type { ConflictCause, ConflictStatus } from './conflict-status.js';
export { conflictStatus } from './conflict-status.js';
export type { ConflictingField } from './contested.js';
export { conflictingFields } from './contested.js';
export type { Ownership } from './entries.js';
export { readEntries, writeEntries } from './entries.js';
export { type UnreadableEntry, unreadableEntries, withReadableEntries } from './entry-problems.js';
export type { Applying, FieldConflict } from './field-conflict.js';
export { additionalLostFields, describeConflicts, hasUnlistedConflict, isOwned } from './field-conflict.js';
export type { OwnedField } from './field-owners.js';
export { ownedFields, ownersAt } from './field-owners.js';
export type { EntryIdentity } from './give-up.js';
export { entriesWith, entriesWithout, releasableFields } from './give-up.js';
export { coveringLength, covers, hasDescendants } from './holds-at.js';
export { isIntentApplied } from './holds-intent.js';
export type { Owner } from './identity.js';
export { identityOf, ownerOf } from './identity.js';
export { ignoredFields } from './ignored.js';
export { lastAppliedAnnotation } from './last-applied.js';
export type { ManagedFieldsEntry } from './managed-fields.js';
export { appliedLast, applyEntryOf, isApplyEntryOf, managedFieldsOf, ownerText, recordedFieldsOf } from './managed-fields.js';
export type { ManagedFieldsSize } from './managed-fields-size.js';
export { managedFieldsSize } from './managed-fields-size.js';
export { extractOwnedFields } from './owned-part.js';
export { containerOwners } from './part-owners.js';
export type { EntryOfVersion, RewrittenEntries } from './removed-versions.js';
export { entriesOfVersions, otherVersionsIn, withoutVersions } from './removed-versions.js';
export type { ScaleMapping } from './scale.js';
export { mainEntries, scaleEntries } from './scale.js';
export { scaleRoot } from './scale-type.js';
export type { RequestScope } from './scope.js';
export { declaredByKubectl, lastAppliedOf, trimmedLastApplied } from './trim-last-applied.js';
export { withoutNewTimes } from './unchanged.js';
export type { RefusedField } from './union-members.js';
export { blockingUnionMembers } from './union-members.js';
export type { UpdateRequest } from './update-request.js';
export { updateRequest } from './update-request.js';
export type { CollateralField } from './vanishing.js';
export { collateralFields, itemsAppliedBy } from './vanishing.js';
export type { ClearedOwnership } from './wiped-owners.js';
export {
  beforeFirstApply,
  clearedOwnershipOf,
  fieldsBeforeFirstApply,
  isBeforeFirstApply,
  releasableByInitialEntry,
  unreleasableFields,
} from './wiped-owners.js';
