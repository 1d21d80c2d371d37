import { isJsonObject } from '../../util/json.js';
import type { Change } from '../change.js';
import { checkRuleOptions, texts } from '../check-rule-options.js';
import { deny, type Objection, type Rule } from '../rule.js';
import { containersIn, podSpecPath } from './pod-templates.js';

/**
 * Denies containers that a stack declares and that have no resource requests after the deploy, whoever sets these.
 *
 * @param options `resources`: the resources that need a request. @default cpu and memory
 * @throws FieldwiseError `option-invalid`.
 */
export function requestsSet(options: { readonly resources?: readonly string[] } = {}): Rule {
  checkRuleOptions({ resources: texts }, options);
  const { resources = ['cpu', 'memory'] } = options;
  return deny(
    (change) => {
      const podSpec = podSpecPath(change);
      if (podSpec === undefined || change.after === undefined) return [];
      return [...containersIn(change.after, podSpec, 'containers')].flatMap(([name, container]): Objection[] => {
        const field = `${podSpec}.containers[name=${JSON.stringify(name)}]`;
        const requests =
          isJsonObject(container.resources) && isJsonObject(container.resources.requests) ? container.resources.requests : {};
        const missing = resources.filter((resource) => requests[resource] === undefined);
        if (missing.length === 0 || !declaresImage(change, field)) return [];
        return [{ field: `${field}.resources.requests`, message: `container ${name} requests no ${missing.join(' and no ')}` }];
      });
    },
    { name: 'requests-set' },
  );
}

/** A stack that only shares one field of a container does not answer for its requests. */
function declaresImage(change: Change, container: string): boolean {
  return change.declares(`${container}.image`).length > 0;
}
