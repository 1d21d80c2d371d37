/** Field paths, field sets and FieldsV1, which name the owned fields of an object. */

export { quote, unquote } from '../util/quote.js';
export { containsSet, difference, equalSets, has, intersection, leaves, recursiveDifference, union } from './algebra.js';
export { compareElements, fieldKey, parseElement, serializeElement, sortElements } from './element.js';
export type { FieldSet, Member } from './field-set.js';
export { emptyFieldSet, isEmpty, itemNames, leafTexts, membersOf, sizeOf } from './field-set.js';
export { readFieldsV1, readFieldsV1Strictly, writeFieldsV1 } from './fields-v1.js';
export { pointerTo } from './json-pointer.js';
export type { FieldPath, PathElement } from './path.js';
export { formatPath, itemIndex, resolvePath, valueAt, valueOrItemsAt, withoutPath, withRoundedKeys } from './path.js';
export { pathCovers } from './path-covers.js';
export { isItemStep, pathStepsOf as stepsOf } from './path-steps.js';
export { anyItem, readPath } from './read-path.js';
export { FieldSetBuilder, fieldSetOfPaths } from './set-builder.js';
export { compareUtf8 } from './utf8-order.js';
export { compareValues, serializeValue } from './value.js';
