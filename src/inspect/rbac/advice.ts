import type { Assembly } from '../../assembly/types.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import type { Rights } from './rights.js';

/** What an administrator is to know before the printed rights are applied, one sentence a line. */
export function adviceOn(rights: Rights, assembly: Assembly, names: readonly string[], inventoryNamespace: string): readonly string[] {
  const owned = selectStacks(assembly, names).flatMap(({ name, intents }) =>
    intents
      .filter(({ apiVersion, kind, lifecycle }) => apiVersion === 'v1' && kind === 'Namespace' && lifecycle === 'own')
      .map((intent) => ({ stack: name, namespace: intent.name, adopts: intent.policy.adopt })),
  );
  return [
    `A Role needs its Namespace: create these first: ${[...rights.keys()].filter((namespace) => namespace !== '').join(', ')}.`,
    ...owned
      .filter(({ namespace }) => rights.has(namespace))
      .flatMap(({ stack, namespace, adopts }) => [
        `Stack ${stack} owns Namespace ${namespace}, and needs the rights inside before its first deploy: kubectl create namespace ${namespace}`,
        adopts
          ? 'Its policy is `adopt: true`: destroy deletes the Namespace with `--delete-foreign`, and the Role and RoleBinding inside go with it.'
          : 'The stack adopts it then, and destroy releases it; with `adopt: true` and `--delete-foreign` destroy deletes it, with the Role and RoleBinding inside.',
      ]),
    `Who may write ConfigMaps in Namespace ${inventoryNamespace} can make stacks forget or delete what they applied: give each team an inventory namespace.`,
  ];
}
