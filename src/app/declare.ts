import type { Construct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import type { ApplyConfiguration } from '../builders/apply-configuration.js';
import { appOf } from './app-root.js';
import { Intent } from './intent.js';
import type { Policy } from './policy.js';
import { declarationSource } from './source-position.js';

/** A partial object as a literal; its fields are copied when it is declared. */
export interface ObjectLiteral {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** An argument of `own` and `share`: a builder of a whole object, or a literal. */
export type IntentConfig = ApplyConfiguration<string, { readonly apiVersion?: unknown; readonly kind?: unknown }> | ObjectLiteral;

/**
 * Declares fields like `stack.own`, from a construct below a stack, so that the intent has the path of that construct.
 *
 * @param scope a construct below a stack.
 * @param config a builder of a whole object, or a literal with apiVersion, kind and metadata.name.
 * @param policy how the declared fields meet the cluster; it wins over the policies of the stack and the app.
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`.
 */
export function own(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'own', config, policy);
}

/**
 * Declares fields like `stack.share`, from a construct below a stack, so that the intent has the path of that construct.
 *
 * @param scope a construct below a stack.
 * @param config a builder of a whole object, or a literal with apiVersion, kind and metadata.name.
 * @param policy how the declared fields meet the cluster; it wins over the policies of the stack and the app.
 *
 * @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`.
 */
export function share(scope: Construct, config: IntentConfig, policy?: Policy): Intent {
  return declareIntent(scope, 'share', config, policy);
}

/** Creates an intent for `own` and `share`, the methods and the functions. */
export function declareIntent(scope: Construct, lifecycle: Lifecycle, config: IntentConfig, policy: Policy | undefined): Intent {
  const source = declarationSource(lifecycle, appOf(scope)?.sourceLines ?? new Map());
  return new Intent(scope, { lifecycle, config, policy, source });
}
