import { dispatchModule } from '../admission/dispatch-module.js';
import { hasPolicies, policyStores, webhookStores } from '../admission/policy-attributes.js';
import { mentionsRules, ruleModule } from '../custom/rule-module.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** Loads what the validation of a request needs: code for rules and policies takes time to load, and most servers have neither. */
export async function prepareValidation(backend: Backend, target: RequestTarget, body: string | Uint8Array | undefined): Promise<void> {
  await preparePolicies(backend, target);
  await prepareRules(backend, target, body);
}

/**
 * Names of the resources in the store that declare expressions of admission, and of bindings: once one is stored, the requests under way need
 * the code, too.
 */
const declaring: readonly string[] = [...Object.values(policyStores), ...Object.values(webhookStores)];

/** Loads the code for policies for a request that declares one or a webhook, or that some can decide on. */
export async function preparePolicies(backend: Backend, { resource }: RequestTarget): Promise<void> {
  if (dispatchModule.isLoaded) return;
  if (declaring.includes(storeName(resource)) || hasPolicies(backend)) await dispatchModule.load();
}

function prepareRules(
  backend: Backend,
  { resource, name }: RequestTarget,
  body: string | Uint8Array | undefined,
): Promise<void> | undefined {
  if (ruleModule.isLoaded) return undefined;
  if (storeName(resource) !== definitions) return resource.strategy.prepareValidation?.();
  const stored = name === undefined ? undefined : backend.store.get({ resource: definitions, namespace: '', name });
  return mayDeclareRules(body) || mentionsRules(stored) ? ruleModule.load() : undefined;
}

/** Returns false for a body that is certain to have no rules: other encodings, and escapes in JSON, are not read for that. */
function mayDeclareRules(body: string | Uint8Array | undefined): boolean {
  return typeof body === 'string' ? body.includes('validations') || body.includes('\\') : body !== undefined;
}
