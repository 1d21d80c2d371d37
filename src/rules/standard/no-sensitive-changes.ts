import { type SensitiveChange, sensitiveChanges, sensitiveMeanings } from '../../engine/report/sensitive-changes.js';
import { checkRuleOptions, texts } from '../check-rule-options.js';
import { deny, type Rule } from '../rule.js';

export type { SensitiveChange };

/**
 * Denies changes that take nothing from anybody and that a reviewer wants to see: replicas to 0, another selector of a Service, changed rights (RBAC,
 * webhooks, admission policies), and pods with privileges of the node.
 *
 * @param options `allow`: kinds of changes that are permitted, such as `scaled-to-zero`, `selector-changed`, `rights-changed` or `privileged-pod`.
 * @throws FieldwiseError `option-invalid`.
 */
export function noSensitiveChanges(options: { readonly allow?: readonly SensitiveChange[] } = {}): Rule {
  checkRuleOptions({ allow: texts }, options);
  const { allow = [] } = options;
  return deny(
    (change) => {
      const found = sensitiveChanges(change).filter((name) => !allow.includes(name));
      return found.length > 0 && found.map((name) => sensitiveMeanings[name]).join('; ');
    },
    { name: 'no-sensitive-changes' },
  );
}
