import type { JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required } from '../../api/field-error.js';

const maxConditions = 64;

/**
 * Validates the match conditions of a policy or webhook. Source: Kubernetes API reference, MatchCondition; messages as observed.
 *
 * @param compile finds errors in an expression.
 */
export function matchConditionErrors(
  conditions: readonly JsonObject[],
  field: string,
  compile: (text: string, field: string) => readonly FieldError[],
): readonly FieldError[] {
  const names = conditions.map(({ name }) => String(name ?? ''));
  return [
    ...(conditions.length > maxConditions
      ? [{ type: 'tooMany', field, value: String(conditions.length), detail: `must have at most ${maxConditions} items` } as const]
      : []),
    ...conditions.flatMap(({ expression }, index) => {
      const path = `${field}[${index}]`;
      const name = names[index] as string;
      const text = String(expression ?? '').trim();
      return [
        ...(text === '' ? [required(`${path}.expression`)] : compile(text, `${path}.expression`)),
        ...(name === '' ? [required(`${path}.name`)] : qualifiedNameErrors(name).map((each) => invalidValue(`${path}.name`, name, each))),
        ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ];
    }),
  ];
}
