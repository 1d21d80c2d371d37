import { knownManager, type Tool } from '../../ownership/index.js';
import type { ConflictText, FieldConflictText, MessageTool, NamedObject, ReleaseConflictText } from './conflict-text.js';

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

function ofRelease({ tool, object, release, wanted = 'RELEASE' }: ReleaseConflictText): readonly WayOut[] {
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
      how: `kubectl label ${target} app.kubernetes.io/managed-by=Helm --overwrite && kubectl annotate ${target} meta.helm.sh/release-name=${wanted} meta.helm.sh/release-namespace=NAMESPACE --overwrite`,
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
  { by: 'fieldwise', what: 'Take over the fields that another manager applied.', how: 'fieldwise adopt STACK --from MANAGER' },
];

function inFieldwise({ object, fields }: FieldConflictText): readonly WayOut[] {
  return waysInFieldwise(
    object,
    fields[0]?.field ?? '.spec.x',
    fields.map(({ manager }) => manager),
  );
}

/** Returns what a stack of Fieldwise can do about a field that others own. */
export function waysInFieldwise(
  object: Pick<NamedObject, 'kind' | 'name'> | undefined,
  field: string,
  managers: readonly string[],
): readonly WayOut[] {
  const of = object === undefined ? 'KIND/NAME' : `${/^[A-Z]/.test(object.kind ?? '') ? object.kind : 'KIND'}/${object.name}`;
  const [first] = managers.filter((manager) => !manager.startsWith(ofStacks));
  const [stack] = first === undefined ? managers.map((manager) => manager.split('/').at(-1) ?? manager) : [];
  if (stack !== undefined) return waysOfStack(stack, of, field);
  const ways: readonly Way[] = [
    [
      'Leave the field to its owner: the stack applies without it, so value and owners stay.',
      `fields: { ${JSON.stringify(field.replace(/^\./, ''))}: { conflicts: 'yield' } }`,
    ],
    [
      'Take the field over, which is the default: it gets the value of the stack, every other owner loses it, and the deploy reports each one. It may differ by manager.',
      `conflicts: { force: [${JSON.stringify(first ?? 'kubectl*')}], otherwise: 'yield' }`,
    ],
    [
      'Transfer it to a stack that declares it with its present value: the value stays, and the field has an owner at every moment.',
      `fieldwise handoff ${shellWord(of)} ${shellWord(field)} --from ${shellWord(`manager:${first ?? 'NAME'}`)} --to STACK`,
    ],
    ['After a deploy with its present value, become its only owner: the value stays.', 'fieldwise adopt STACK'],
    ['Contribute only some fields to an object of others.', 'stack.share(…) instead of stack.own(…)'],
  ];
  return ways.map(([what, how]) => ({ by: 'fieldwise' as const, what, ...(how === undefined ? {} : { how }) }));
}

/** The start of the field managers of stacks: `fieldwise/APP/INSTANCE/STACK`. */
const ofStacks = 'fieldwise/';

/** Returns what can be done where a stack is the owner: it can let others have the field. */
function waysOfStack(stack: string, of: string, field: string): readonly WayOut[] {
  const ways: readonly Way[] = [
    [`Keep it in stack ${stack}, and change its value there: do not apply it with another client.`],
    [
      `Give it to the other client: set the live value in its manifest and apply that, so that both own the field. Then remove the field from the program of stack ${stack} and deploy: the value stays, and the other client owns it alone.`,
    ],
    [
      `Let stack ${stack} declare a value that others may replace: with this policy, its deploys leave the field to whoever has taken it. The other client takes it once by force; without the policy, the next deploy takes it back.`,
      `fields: { ${JSON.stringify(field.replace(/^\./, ''))}: { conflicts: 'yield' } }`,
    ],
    [
      'Transfer it to another stack, which declares it with its present value: the value stays, and the field has an owner at every moment.',
      `fieldwise handoff ${shellWord(of)} ${shellWord(field)} --from ${shellWord(stack)} --to STACK`,
    ],
  ];
  return ways.map(([what, how]) => ({ by: 'fieldwise' as const, what, ...(how === undefined ? {} : { how }) }));
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

function applyingManagers({ fields }: FieldConflictText): readonly string[] {
  return [...new Set(fields.filter(({ operation }) => operation === 'Apply').map(({ manager }) => manager))];
}

/** Quotes a word for a shell, unless it needs no quotes. */
function shellWord(text: string): string {
  return /^[\w./:@%+-]{1,300}$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
