export type { AppProps, FormerName } from '../app/app-root.js';
export { type IntentConfig, type ObjectLiteral, own, share } from '../app/declare.js';
export type { Intent } from '../app/intent.js';
export { acknowledge } from '../app/settings/acknowledge.js';
export type { FieldPolicy, Policy } from '../app/settings/policy.js';
export type { TransferFrom } from '../app/settings/transfer-from.js';
export { Stack, type StackProps } from '../app/stack.js';
export type {
  ConflictPolicy,
  ConflictPolicyByManager,
  DeletePropagation,
  IfAbsent,
  IfPresent,
  Lifecycle,
  ListKeys,
  ReleasePolicy,
  Strategy,
  WaitFor,
} from '../assembly/policy-vocabulary.js';
export { App } from '../synth/app.js';
export { type ErrorArguments, type ErrorCode, type ErrorKind, type ErrorLocation, FieldwiseError } from '../util/error.js';
export { fromEnv, fromFile, type SecretReference } from '../util/secret-reference.js';
