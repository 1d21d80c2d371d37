import { knownManager, type Tool } from '../../ownership/index.js';
import type { ConflictText, ContestedField, FieldConflictText, MessageTool, NamedObject, ReleaseConflictText } from './conflict-text.js';

/** Something that a person can do about a conflict. */
export interface WayOut {
  /** The program that does it. */
  readonly by: 'tool' | 'fieldwise';
  readonly what: string;
  /** A command, a flag, or a line of a program or manifest. */
  readonly how?: string;
}

/** Returns what can be done about a conflict, in the words and flags of the tool that met it, then with Fieldwise. */
export function waysOut(conflict: ConflictText): readonly WayOut[] {
  return conflict.about === 'release' ? [...ofRelease(conflict), ...ofReleaseInFieldwise] : [...ofTool(conflict), ...inFieldwise(conflict)];
}

function ofTool(conflict: FieldConflictText): readonly WayOut[] {
  return waysOfTools[conflict.tool](conflict).map(([what, how]) => ({ by: 'tool', what, ...(how === undefined ? {} : { how }) }));
}

type Way = readonly [what: string, how?: string];

const waysOfTools: Readonly<Record<MessageTool, (conflict: FieldConflictText) => readonly Way[]>> = {
  kubectl: (conflict) => [
    [takeOver(conflict), 'kubectl apply --server-side --force-conflicts -f FILE'],
    ['Leave them: remove the fields from the manifest. A field that is not applied stays with its owner.'],
    ['Share them: write the live values into the manifest. Both then own the fields.'],
    ...applyingManagers(conflict).map(
      (manager): Way => [
        `Go on as ${manager}, if you are its successor. The apply removes fields that ${manager} applied and the manifest lacks.`,
        `kubectl apply --server-side --field-manager=${shellWord(manager)} -f FILE`,
      ],
    ),
  ],
  'helm-4': (conflict) => [
    [takeOver(conflict), 'helm upgrade RELEASE CHART --force-conflicts'],
    [
      'Write without server-side apply. Helm then meets no conflict and overwrites the fields. It stays so for this release until an upgrade runs with `--server-side=true`.',
      'helm upgrade RELEASE CHART --server-side=false',
    ],
    ['Leave them: remove the fields from the templates, or set the live values, such as `--set replicaCount=5`.'],
    ['`--take-ownership` does not help: it is about the release that an object belongs to, not about its fields.'],
  ],
  'helm-3': () => [['Remove the fields from the templates.']],
  flux: () => [
    ['Leave them: remove the fields from the manifests, such as by `patches` of the Kustomization.'],
    ['Let Flux create the object and leave it alone afterwards.', 'kustomize.toolkit.fluxcd.io/ssa: IfNotPresent'],
    ['Take the fields over: the controllers of Flux apply with force, so they take these fields without a conflict.'],
  ],
  'argo-cd': ({ fields }) => [
    ['Leave them: remove the fields from the manifests in Git.'],
    [
      'Let Argo CD ignore the fields of these managers, in the diff and in a sync.',
      `spec.ignoreDifferences with managedFieldsManagers: ${JSON.stringify([...new Set(fields.map(({ manager }) => manager))])}, and the sync option RespectIgnoreDifferences=true`,
    ],
    ['Sync without server-side apply, which meets no conflict and overwrites.', 'sync option ServerSideApply=false'],
  ],
  pulumi: (conflict) => [
    [takeOver(conflict), 'pulumi.com/patchForce: "true" (an annotation of the object)'],
    ['Leave them.', `ignoreChanges: ${pathsOf(conflict)}`],
    ['Go on as the same manager, by an annotation of the object.', 'pulumi.com/patchFieldManager: NAME'],
    ['Write without server-side apply, by an option of the provider.', 'enableServerSideApply: false'],
  ],
  terraform: (conflict) => [
    [
      takeOver(conflict),
      'field_manager { force_conflicts = true } (kubernetes_manifest), or force = true (kubernetes_labels and the like)',
    ],
    ['Leave them to the cluster.', `computed_fields = ${pathsOf(conflict)}`],
    ['Go on as the same manager.', 'field_manager { name = "NAME" }'],
  ],
  crossplane: () => [
    ['Leave them: remove the fields from the composition or from the manifest of the Object.'],
    ['Take the fields over: let the other owner release them, by removing them from its manifest.'],
  ],
  unknown: () => [
    ['Take the fields over: apply with force, which is the parameter `force=true` of the request.'],
    ['Leave them: remove the fields from what is applied.'],
    ['Share them: apply the live values. Both then own the fields.'],
  ],
};

function ofRelease({ tool, object, release, wanted = 'RELEASE', wantedNamespace = 'NAMESPACE' }: ReleaseConflictText): readonly WayOut[] {
  const target = `${(object.kind ?? 'KIND').toLowerCase()} ${object.name}${object.namespace === undefined ? '' : ` -n ${object.namespace}`}`;
  const verb = 'helm upgrade --install';
  const force =
    tool === 'helm-4'
      ? ' Fields of others with other values are conflicts then, and need `--force-conflicts` as well.'
      : ' Helm 3.17 or later; Helm 3 then overwrites the fields that the chart sets.';
  return [
    { by: 'tool', what: `Take the object into the release.${force}`, how: `${verb} ${wanted} CHART --take-ownership` },
    {
      by: 'tool',
      what: 'Or mark it as an object of the release beforehand.',
      how: `kubectl label ${target} app.kubernetes.io/managed-by=Helm --overwrite && kubectl annotate ${target} meta.helm.sh/release-name=${wanted} meta.helm.sh/release-namespace=${wantedNamespace} --overwrite`,
    },
    {
      by: 'tool',
      what:
        release === undefined
          ? 'Leave it: remove the object from the chart, or give it another name.'
          : `Leave it to the release ${release}: remove the object from this chart, or give it another name. Two releases with one object delete it from each other.`,
    },
  ];
}

const ofReleaseInFieldwise: readonly WayOut[] = [
  { by: 'fieldwise', what: 'Contribute fields to the object without owning it.', how: 'stack.share(…)' },
  { by: 'fieldwise', what: 'Take over the fields that another manager applied.', how: 'fieldwise adopt --from MANAGER' },
];

function inFieldwise({ object, fields }: FieldConflictText): readonly WayOut[] {
  return waysInFieldwise(object, fields);
}

/** Returns what a stack of Fieldwise can do about fields that others own: advice for the owners of each of them. */
export function waysInFieldwise(
  object: Pick<NamedObject, 'kind' | 'name'> | undefined,
  fields: readonly (Pick<ContestedField, 'field' | 'manager'> & Partial<Pick<ContestedField, 'operation' | 'subresource'>>)[],
): readonly WayOut[] {
  const of = object === undefined ? 'KIND/NAME' : `${/^[A-Z]/.test(object.kind ?? '') ? object.kind : 'KIND'}/${object.name}`;
  const others = fields.filter(({ manager }) => !manager.startsWith(ofStacks));
  const stacks = [...new Set(fields.map(({ manager }) => manager).filter((manager) => manager.startsWith(ofStacks)))];
  const named = (manager: string) => fields.filter((one) => one.manager === manager).map(({ field }) => field);
  const ways = [
    ...(others.length > 0 || stacks.length === 0 ? waysOfOthers(of, others) : []),
    ...stacks.flatMap((manager) => waysOfStack(manager, of, named(manager))),
  ];
  return ways.map(([what, how]) => ({ by: 'fieldwise' as const, what, ...(how === undefined ? {} : { how }) }));
}

/** The start of the field managers of stacks: `fieldwise/APP/INSTANCE/STACK`. */
const ofStacks = 'fieldwise/';

/** Returns what can be done where others than stacks are the owners. */
function waysOfOthers(of: string, owned: Parameters<typeof waysInFieldwise>[1]): readonly Way[] {
  const fields = [...new Set(owned.map(({ field }) => field))];
  const managers = [...new Set(owned.map(({ manager }) => manager))];
  const transferable = [...new Set(owned.filter(({ subresource }) => !subresource).map(({ manager }) => manager))];
  const [it, its, stays] =
    fields.length > 1 ? ['them', 'their present values', 'the values stay'] : ['it', 'its present value', 'the value stays'];
  const wordsOf = (manager: string) => {
    const own = owned.filter((one) => one.manager === manager).map(({ field }) => field);
    return (own.length === 0 ? ['.spec.x'] : own).map(shellWord).join(' ');
  };
  return [
    [
      `Leave ${fields.length > 1 ? 'the fields to their owners' : 'the field to its owner'}: the stack applies without ${it}, so value and owners stay.`,
      yieldText(fields),
    ],
    [
      `Take ${it} over, which is the default: the value is then that of the stack, every other owner loses the field, and the deploy reports each one. It may differ by manager.`,
      `conflicts: { force: ${JSON.stringify(managers.length === 0 ? ['kubectl*'] : managers)}, otherwise: 'yield' }`,
    ],
    ...(managers.length === 0 ? ['NAME'] : transferable).map(
      (manager): Way => [
        `Transfer ${it} to a stack that declares ${it} with ${its}: ${stays}, and each field has an owner at every moment.`,
        `fieldwise adopt ${shellWord(of)} ${wordsOf(manager)} --from ${shellWord(`manager:${manager}`)}`,
      ],
    ),
    ['Contribute only some fields to an object of others.', 'stack.share(…) instead of stack.own(…)'],
  ];
}

/** The line of a program that leaves fields to others. */
function yieldText(fields: readonly string[]): string {
  const members = (fields.length === 0 ? ['.spec.x'] : fields).map(
    (field) => `${JSON.stringify(field.replace(/^\./, ''))}: { conflicts: 'yield' }`,
  );
  return `fields: { ${members.join(', ')} }`;
}

/** Returns what can be done where a stack is the owner: it can let others have the fields. */
function waysOfStack(manager: string, of: string, fields: readonly string[]): readonly Way[] {
  const stack = manager.slice(ofStacks.length);
  const [it, its] = fields.length > 1 ? ['them', 'their present values'] : ['it', 'its present value'];
  return [
    [`Keep ${it} in stack ${stack}, and change the value there: do not apply ${it} with another client.`],
    [
      `Give ${it} to the other client: set the live value in its manifest and apply that, so that both are owners. Then remove ${it} from the program of stack ${stack} and deploy: the value stays, and the other client is the only owner.`,
    ],
    [
      `Let stack ${stack} declare a value that others may replace: with this policy, its deploys leave the field to whoever has taken it. The other client takes it once by force; without the policy, the next deploy takes it back.`,
      yieldText(fields),
    ],
    [
      `Transfer ${it} to another stack, which declares ${it} with ${its}: the value stays, and each field has an owner at every moment.`,
      `fieldwise adopt ${shellWord(of)} ${fields.map(shellWord).join(' ')} --from ${shellWord(`manager:${manager}`)}`,
    ],
  ];
}

/** Names the object in ways out by the kind that the cluster knows. */
export function withKind(ways: readonly WayOut[], kind: string): readonly WayOut[] {
  return ways.map((way) => (way.how === undefined ? way : { ...way, how: way.how.replace(' KIND/', ` ${kind}/`) }));
}

/** Returns the ways out for an object that stacks own, and that Helm does not take into a release. */
export function waysForOwnedByStacks(
  ways: readonly WayOut[],
  object: Pick<NamedObject, 'kind' | 'name'>,
  managers: readonly string[],
): readonly WayOut[] {
  const stacks = managers.filter((manager) => manager.startsWith(ofStacks));
  if (stacks.length === 0) return ways;
  const names = stacks.map((manager) => manager.slice(ofStacks.length)).join(', ');
  return [
    ...ways.filter(({ by }) => by === 'tool'),
    { by: 'fieldwise', what: `Leave the object to stack ${names}: remove it from the chart, or give it another name there.` },
    { by: 'fieldwise', what: 'Contribute fields to the object without owning it.', how: 'stack.share(…)' },
    ...stacks.map((manager) => ({
      by: 'fieldwise' as const,
      what: 'Transfer its fields to another stack, which declares them with their present values.',
      how: `fieldwise adopt ${object.kind ?? 'KIND'}/${object.name} --from ${shellWord(`manager:${manager}`)}`,
    })),
  ];
}

/** Controllers that write again soon after a field differs, whoever forced it. */
const persistent: ReadonlySet<Tool> = new Set(['argo-cd', 'cert-manager', 'crossplane', 'flux', 'kubernetes']);

function takeOver({ fields }: FieldConflictText): string {
  const owners = fields.filter((owner) => persistent.has(knownManager(owner)?.tool ?? 'unnamed')).map(({ manager }) => manager);
  const names = [...new Set(owners)].join(', ');
  return names === '' ? 'Take the fields over.' : `Take the fields over. ${names} may take them back at once, and the two would fight.`;
}

function pathsOf({ fields }: FieldConflictText): string {
  return JSON.stringify([...new Set(fields.map(({ field }) => field.replace(/^\./, '')))]);
}

/** Returns the managers under whose names a person may go on: never that of a stack, whose other fields would go. */
function applyingManagers({ fields }: FieldConflictText): readonly string[] {
  const appliers = fields.filter(({ operation, manager }) => operation === 'Apply' && !manager.startsWith(ofStacks));
  return [...new Set(appliers.map(({ manager }) => manager))];
}

/** Quotes a word for a shell, unless it needs no quotes. */
function shellWord(text: string): string {
  return /^[\w./:@%+-]{1,300}$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
