export type { FieldSet, Member } from './field-set.js';
export { emptyFieldSet, isEmpty, membersOf, parseElement, readFieldsV1 } from './field-set.js';
export type { FieldPath, PathElement } from './path.js';
export { formatPath, itemIndex, resolvePath, valueAt, withoutPath } from './path.js';
