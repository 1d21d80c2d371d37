import { formerManagersOf, managersOf } from '../assembly/identity.js';
import type { IntentManifest, StackManifest } from '../assembly/types.js';
import { checkFormerIdentities } from './former-identities.js';

/**
 * Returns stacks whose transfers name a stack of the program by its field manager, with its former ones. A program may name it by its name,
 * its former name, or a field manager that it had before a rename; other names are those of field managers of others.
 *
 * @throws FieldwiseError `rename-ambiguous` where a name fits two of them.
 */
export function withPreviousOwners(stacks: readonly StackManifest[]): readonly StackManifest[] {
  checkFormerIdentities(stacks);
  const resolve = (intent: IntentManifest): IntentManifest => {
    const { transferFrom } = intent.policy;
    const previousOwner = transferFrom && stacks.find((stack) => isNamed(stack, transferFrom.from));
    if (previousOwner === undefined) return intent;
    const formerManagers = formerManagersOf(previousOwner);
    const former = formerManagers.length === 0 ? {} : { formerManagers };
    return { ...intent, policy: { ...intent.policy, transferFrom: { ...transferFrom, from: previousOwner.manager, ...former } } };
  };
  return stacks.map((stack) => ({ ...stack, intents: stack.intents.map(resolve) }));
}

function isNamed(stack: StackManifest, name: string): boolean {
  const { formerIdentities = [] } = stack;
  return managersOf(stack).includes(name) || stack.name === name || formerIdentities.some(({ stack: former }) => former === name);
}
