import type { Json } from '../util/json.js';
import type { Type } from './model.js';
import { enumOf } from './value-validation.js';

/**
 * Returns the only values of a type; undefined if it takes others. Null is none of them: a server refuses it even where the enum lists it and the
 * node is nullable. Source: test/apiserver/requests/enums.test.ts.
 */
export function choicesOf({ scalar, valueValidation }: Type): readonly Json[] | undefined {
  const choices = scalar?.enum ?? (valueValidation === undefined ? undefined : enumOf(valueValidation));
  return choices?.filter((choice) => choice !== null);
}
