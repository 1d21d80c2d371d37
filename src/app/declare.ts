import type { Construct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import type { Branded } from '../builders/apply-configuration.js';
import { appOf, constructPathOf } from './app-root.js';
import { Intent } from './intent.js';
import type { Policy } from './settings/policy.js';
import { declarationSource, SourceCache } from './source-position.js';

/** A partial object as a literal; its fields are copied when it is declared. */
export interface ObjectLiteral {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The object that `own` and `share` declare: a builder of a whole object, or a literal. */
export type IntentConfig = Branded<string, { readonly apiVersion?: unknown; readonly kind?: unknown }> | ObjectLiteral;

/**
 * Declares an object that the enclosing stack owns, as `stack.own` does, from a construct below the stack: the construct path of the intent
 * is that of the construct.
 *
 * @example
 * ```ts
 * class Web extends Construct {
 *   constructor(scope: Construct, id: string) {
 *     super(scope, id);
 *     own(this, service('web').withSpec({ selector: { app: 'web' }, ports: [{ port: 80 }] }));
 *   }
 * }
 * ```
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`, `declared-after-synth`.
 */
export function own(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'own', config, policy);
}

/**
 * Declares fields of an object that others may own too, as `stack.share` does, from a construct below the stack: the construct path of the
 * intent is that of the construct.
 *
 * @example
 * ```ts
 * share(this, configMap('settings', 'platform').withData({ [name]: address }), { ifAbsent: 'create' });
 * ```
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`, `declared-after-synth`.
 */
export function share(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'share', config, policy);
}

/** Declares an intent; `own` and `share`, of stacks and of constructs, call it. */
export function declareIntent(scope: Construct, lifecycle: Lifecycle, config: IntentConfig, policy: Policy | undefined): Intent {
  const app = appOf(scope);
  const source = declarationSource(lifecycle, app?.sourceCache ?? new SourceCache());
  // An App of another installed copy may be of a former version.
  app?.declaring?.(lifecycle, { construct: constructPathOf(scope), ...(source === undefined ? {} : { source }) });
  return new Intent(scope, { lifecycle, config, policy, source });
}
