import { text } from '../../util/check-options.js';
import { checkRuleOptions } from '../check-rule-options.js';
import { fieldPattern } from '../field-pattern.js';
import { deny, type Rule } from '../rule.js';

/**
 * Denies every other stack to declare a field.
 *
 * @param path such as `.spec.class`; also all fields below it.
 * @param options `kind`: the kind whose field it is. @default every kind
 * @throws FieldwiseError `option-invalid`, also for a path with an error of syntax.
 */
export function onlyStack(stack: string, path: string, options: { readonly kind?: string } = {}): Rule {
  checkRuleOptions({ kind: text }, options);
  const { kind } = options;
  fieldPattern(path);
  return deny(
    (change) => {
      if (change.stack === stack || (kind !== undefined && change.kind !== kind)) return [];
      return change.declares(path).map(({ field }) => ({ field, message: `declares ${field}, which only stack ${stack} may own` }));
    },
    { name: `only-${stack}` },
  );
}
