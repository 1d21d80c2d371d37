/** Typed values: what an intent declares, how two values compare and merge, and the algorithms of apply and update. */
export type { ApplyInput, ApplyResult } from './apply.js';
export { applyIntent } from './apply.js';
export type { Comparison } from './compare.js';
export { compare } from './compare.js';
export { extract } from './extract.js';
export { fieldSetOf } from './field-set-of.js';
export type { Kind } from './kind.js';
export { ConversionError, customKind, kindOf } from './kind.js';
export type { Conflict, Managers, VersionedSet } from './managers.js';
export { merge } from './merge.js';
export { withNamedFields } from './named-fields.js';
export { reconcile } from './reconcile.js';
export { remove } from './remove.js';
export type { Request } from './request.js';
export type { UpdateInput, UpdateResult } from './update.js';
export { updateManagers } from './update.js';
export type { TypeProblem, ValidateOptions } from './validate.js';
export { problemsText, validate } from './validate.js';
