import type { Assembly } from '../../assembly/types.js';
import type { Inventory, InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { FieldwiseError } from '../../util/error.js';

/** Who hands fields over. */
export interface PreviousOwner {
  readonly manager: string;
  /** Where it is a stack that the cluster knows. */
  readonly stack?: StackIdentity;
}

/** How a field manager is told from a stack. */
const managerPrefix = 'manager:';

/**
 * The giver that a name means: a stack of the program, one of the same app and instance in the cluster, or `manager:NAME`.
 *
 * @throws FieldwiseError `stack-unknown`.
 */
export async function previousOwnerOf(name: string, { manifest }: Assembly, store: InventoryStore): Promise<PreviousOwner> {
  const inventories = await store.read();
  const known = (fits: (inventory: Inventory) => boolean) => inventories.find(fits)?.stack;
  const { app, instance, stacks } = manifest;
  if (name.startsWith(managerPrefix)) return withStack(name.slice(managerPrefix.length), known);
  const declared = stacks.find((stack) => stack.name === name);
  if (declared !== undefined) return withStack(declared.manager, known);
  const stack = known(
    (inventory) => inventory.stack.app === app && inventory.stack.instance === instance && inventory.stack.stack === name,
  );
  if (stack !== undefined) return { manager: stack.manager, stack };
  const meant = managerMeant(name, known);
  if (meant !== undefined) {
    throw new FieldwiseError('stack-unknown', 'usage', `${name} names no stack of ${app}, instance ${instance}`, {
      next: `For a stack of another app or instance name its field manager: \`--from ${managerPrefix}${meant}\`.`,
    });
  }
  throw new FieldwiseError(
    'stack-unknown',
    'usage',
    `Neither the program nor the cluster has a stack ${name} of ${app}, instance ${instance}`,
    {
      next: 'Name another, or a field manager: `--from manager:NAME`. `fieldwise list` shows the stacks of the cluster.',
    },
  );
}

/** What somebody means who names a field manager without the word before it, or a stack as `app/instance/stack`. */
function managerMeant(name: string, known: (fits: (inventory: Inventory) => boolean) => StackIdentity | undefined): string | undefined {
  if (name.startsWith('fieldwise/')) return name;
  const stack = known(({ stack: { app, instance, stack, manager } }) => `${app}/${instance}/${stack}` === name || manager === name);
  return stack?.manager;
}

function withStack(manager: string, known: (fits: (inventory: Inventory) => boolean) => StackIdentity | undefined): PreviousOwner {
  const stack = known((inventory) => inventory.stack.manager === manager);
  return stack === undefined ? { manager } : { manager, stack };
}
