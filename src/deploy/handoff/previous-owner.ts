import type { Assembly } from '../../assembly/types.js';
import type { Inventory, InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { FieldwiseError } from '../../util/error.js';

/** The owner that hands fields off. */
export interface PreviousOwner {
  readonly manager: string;
  /** Present if the owner is a stack with an inventory in the cluster. */
  readonly stack?: StackIdentity;
}

/** The prefix that distinguishes a field manager from a stack. */
const managerPrefix = 'manager:';

/**
 * Resolves the name of a previous owner: a stack of the program, one of the same app and instance in the cluster, or `manager:NAME`.
 *
 * @throws FieldwiseError `stack-unknown`, `handoff-before-rename`.
 */
export async function previousOwnerOf(name: string, { manifest }: Assembly, store: InventoryStore): Promise<PreviousOwner> {
  const inventories = await store.read();
  const known = (matches: (inventory: Inventory) => boolean) => inventories.find(matches)?.stack;
  const { app, instance, stacks } = manifest;
  if (name.startsWith(managerPrefix)) return withStack(name.slice(managerPrefix.length), known);
  const declared = stacks.find((stack) => stack.name === name);
  if (declared !== undefined) {
    const former = declared.formerIdentities?.map((identity) => withStack(identity.manager, known)).find((owner) => owner.stack);
    const present = withStack(declared.manager, known);
    if (present.stack === undefined && former?.stack !== undefined) throw notRenamedError(name, former.stack);
    return present;
  }
  const stack = known(
    (inventory) => inventory.stack.app === app && inventory.stack.instance === instance && inventory.stack.stack === name,
  );
  if (stack !== undefined) return { manager: stack.manager, stack };
  const suggestion = managerMeant(name, known);
  if (suggestion !== undefined) {
    throw new FieldwiseError('stack-unknown', 'usage', `${name} is not a stack of ${app}, instance ${instance}`, {
      next: `For a stack of another app or instance, name its field manager: \`--from ${managerPrefix}${suggestion}\`.`,
    });
  }
  throw new FieldwiseError(
    'stack-unknown',
    'usage',
    `Neither the program nor the cluster has a stack ${name} of ${app}, instance ${instance}`,
    {
      next: 'Name another stack, or a field manager: `--from manager:NAME`. `fieldwise list` shows the stacks of the cluster.',
    },
  );
}

/** Until its next deploy, a renamed stack owns nothing under its new name. */
function notRenamedError(name: string, former: StackIdentity): FieldwiseError {
  const message = `Stack ${name} has not been deployed since its rename: the cluster has it as ${former.manager}`;
  return new FieldwiseError('handoff-before-rename', 'usage', message, {
    next: `Run \`fieldwise deploy ${name}\` first, or name its former field manager: \`--from ${managerPrefix}${former.manager}\`.`,
  });
}

/** Returns the field manager for a name that lacks the prefix `manager:`, or that names a stack as `app/instance/stack`. */
function managerMeant(name: string, known: (matches: (inventory: Inventory) => boolean) => StackIdentity | undefined): string | undefined {
  if (name.startsWith('fieldwise/')) return name;
  const stack = known(({ stack: { app, instance, stack, manager } }) => `${app}/${instance}/${stack}` === name || manager === name);
  return stack?.manager;
}

function withStack(manager: string, known: (matches: (inventory: Inventory) => boolean) => StackIdentity | undefined): PreviousOwner {
  const stack = known((inventory) => inventory.stack.manager === manager);
  return stack === undefined ? { manager } : { manager, stack };
}
