import type { Assembly } from '../../assembly/types.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import { systemNamespace } from '../../kubernetes/index.js';
import type { Json } from '../../util/json.js';
import type { PolicyRule } from './grants.js';
import type { Rights } from './rights.js';

/** Returns advice to an administrator about applying the printed rights, one line each. */
export function adviceOn(rights: Rights, assembly: Assembly, names: readonly string[], inventoryNamespace: string): readonly string[] {
  const owned = selectStacks(assembly, names).flatMap(({ name, intents }) =>
    intents
      .filter(({ apiVersion, kind, lifecycle }) => apiVersion === 'v1' && kind === 'Namespace' && lifecycle === 'own')
      .map((intent) => ({ stack: name, namespace: intent.name, adopts: intent.policy.adopt })),
  );
  return [
    `A Role needs its Namespace. Create these first: ${[...rights.keys()].filter((namespace) => namespace !== '' && namespace !== systemNamespace).join(', ')}.`,
    ...owned
      .filter(({ namespace }) => rights.has(namespace))
      .flatMap(({ stack, namespace, adopts }) => [
        `Stack ${stack} owns Namespace ${namespace} and needs permissions inside it before its first deploy: kubectl create namespace ${namespace}`,
        adopts
          ? 'Its policy is `deleteExisting: true`: with `--delete foreign`, destroy deletes the Namespace and with it the Role and RoleBinding inside.'
          : 'The stack then owns it, too, and destroy releases it. With `deleteExisting: true` and `--delete foreign`, destroy deletes it and with it the Role and RoleBinding inside.',
      ]),
    ...(isGranted(rights, 'list', 'validatingwebhookconfigurations')
      ? [
          `The permissions to list the kinds of the program, resourcequotas${isGranted(rights, 'list', 'limitranges') ? ', limitranges' : ''} and the resources of admissionregistration.k8s.io, and to get customresourcedefinitions and namespaces, are optional: with all of them, a deploy leaves out objects that would not change and that no webhook, admission policy, quota or limit would see. Without them, it sends every object. \`--reconcile full\` leaves them out.`,
        ]
      : []),
    ...(isGranted(rights, 'list', 'validatingadmissionpolicies') && !isGranted(rights, 'list', 'validatingwebhookconfigurations')
      ? [
          'The permissions to list validatingadmissionpolicies and validatingadmissionpolicybindings are optional: with them, a plan evaluates the policies of the cluster, and doctor and guard --check compare guards.',
        ]
      : []),
    ...(isGranted(rights, 'get', 'pods/log')
      ? [
          'The permissions for pods, pods/log, events, replicasets and controllerrevisions are optional: a deploy reads them to say why a workload does not become ready. `--no-causes` leaves them out.',
        ]
      : []),
    `The permissions to get the Namespaces ${systemNamespace} and ${inventoryNamespace} are optional, unless the environment has a \`clusterUid\`: saved plans, snapshots and revisions are bound to their cluster by the uids of these. Without them, a saved plan can be deployed to another cluster.`,
    `Anyone who may update the ConfigMap of a stack in Namespace ${inventoryNamespace} can make it forget or delete its objects; with its Secrets, offer a revision for a rollback; with its Lease, end a run. The permissions below name the records of this program alone. Give each team an inventory namespace.`,
    ...(rights
      .get(inventoryNamespace)
      ?.rules()
      .some(({ resources, verbs }) => includes(resources, 'leases') && includes(verbs, 'create'))
      ? [
          `A server without server-side apply also needs \`create\` of ConfigMaps, Secrets and Leases in Namespace ${inventoryNamespace} without a name.`,
        ]
      : []),
  ];
}

/** Returns true if a verb is granted for all objects of a resource. */
function isGranted(rights: Rights, verb: string, resource: string): boolean {
  const isRule = ({ resources, resourceNames, verbs }: PolicyRule) =>
    resourceNames === undefined && includes(resources, resource) && includes(verbs, verb);
  return [...rights.values()].some((grants) => grants.rules().some(isRule));
}

function includes(list: Json | undefined, text: string): boolean {
  return Array.isArray(list) && list.includes(text);
}
