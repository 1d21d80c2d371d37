export type { ContestedField } from './contested.js';
export { contestedFields } from './contested.js';
export type { ManagedFieldsEntry } from './managed-fields.js';
export { applyEntryOf, isApplyEntryOf, managedFieldsOf, ownerText } from './managed-fields.js';
