import type { Construct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import type { ApplyConfiguration } from '../builders/apply-configuration.js';
import { appOf } from './app-root.js';
import { Intent } from './intent.js';
import type { Policy } from './policy.js';
import { declarationSource } from './source-position.js';

/** A partial object written as a literal; its fields are copied when it is declared. */
export interface ObjectLiteral {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** What `own` and `share` take: a builder of a whole object, or a literal. */
export type IntentConfig = ApplyConfiguration<string, { readonly apiVersion?: unknown; readonly kind?: unknown }> | ObjectLiteral;

/**
 * `stack.own` for constructs below a stack, so that the construct path of the intent is theirs.
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`.
 */
export function own(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'own', config, policy);
}

/**
 * `stack.share` for constructs below a stack, so that the construct path of the intent is theirs.
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`.
 */
export function share(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'share', config, policy);
}

/** What the four ways of declaring have in common. */
export function declareIntent(scope: Construct, lifecycle: Lifecycle, config: IntentConfig, policy: Policy | undefined): Intent {
  const source = declarationSource(lifecycle, appOf(scope)?.sourceLines ?? new Map());
  return new Intent(scope, { lifecycle, config, policy, source });
}
