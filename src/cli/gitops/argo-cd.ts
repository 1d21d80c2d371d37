import { groupOf, objectText } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { type FieldPath, pointerTo } from '../../fields/index.js';
import { isBuiltIn } from '../../schema/index.js';
import type { Dialect } from './dialect.js';
import { hasItems, holdsOthers, isKept, refused } from './yields.js';

const syncOptions = 'argocd.argoproj.io/sync-options';
const syncWave = 'argocd.argoproj.io/sync-wave';

/**
 * Argo CD. Sources: its documentation, "Sync Options" (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/), "Diff
 * Customization" (…/user-guide/diffing/), "Sync Phases and Waves" (…/user-guide/sync-waves/) and "Resource Health" (…/operator-manual/health/).
 */
export const argoCd: Dialect = {
  title: 'Argo CD',
  manager: 'argocd-controller',
  kind: 'Application',
  annotationsOf: ({ intent, wave }) => {
    const options = [
      ...(isKept(intent) ? ['Prune=false', 'Delete=false'] : holdsOthers(intent) ? ['Prune=confirm', 'Delete=confirm'] : []),
      // An object of which only some fields are declared is not valid by itself.
      ...(intent.lifecycle === 'share' ? ['Validate=false'] : []),
    ];
    return { ...(options.length > 0 ? { [syncOptions]: options.join(',') } : {}), ...(wave > 0 ? { [syncWave]: String(wave) } : {}) };
  },
  ignoreRules: (plain) => {
    const { intent, yields } = plain;
    const pattern = yields.managers.find((name) => name.endsWith('*'));
    if (pattern !== undefined) {
      throw refused(intent, `yields to ${pattern}, and Argo CD takes no pattern of managers`, 'Name each manager, or the fields.');
    }
    const paths = yields.fields.map(({ path }) => path);
    const pointers = paths.filter((path) => !hasItems(path)).map((path) => pointerTo(path, plain.object));
    const expressions = paths.filter(hasItems).map(jqPathOf);
    if (expressions.length > 0 && !isBuiltIn(intent.apiVersion)) {
      const why = 'yields a field of a list item, and Argo CD would take the whole list of a custom resource from the cluster';
      throw refused(intent, why, 'Leave the field out of the program, or yield the whole list.');
    }
    if (paths.length === 0 && yields.managers.length === 0) return [];
    return [
      {
        ...(groupOf(intent.apiVersion) === '' ? {} : { group: groupOf(intent.apiVersion) }),
        kind: intent.kind,
        name: intent.name,
        ...(intent.namespace === undefined ? {} : { namespace: intent.namespace }),
        ...(pointers.length > 0 ? { jsonPointers: pointers } : {}),
        ...(expressions.length > 0 ? { jqPathExpressions: expressions } : {}),
        ...(yields.managers.length > 0 ? { managedFieldsManagers: yields.managers } : {}),
      },
    ];
  },
  documentOf: ({ name, path, stack, level }, rules, { namespace = 'argocd', repoURL = '', ...settings }) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, ...(level > 0 ? { annotations: { [syncWave]: String(level) } } : {}) },
    spec: {
      project: settings.project ?? 'default',
      source: { repoURL, targetRevision: settings.targetRevision ?? 'HEAD', path },
      destination: { server: settings.server ?? 'https://kubernetes.default.svc' },
      ...(rules.length > 0 ? { ignoreDifferences: rules } : {}),
      syncPolicy: {
        automated: { prune: stack.prune, selfHeal: true },
        syncOptions: [
          'ServerSideApply=true',
          ...(rules.length > 0 ? ['RespectIgnoreDifferences=true'] : []),
          // Two Applications of one object would undo each other, under one field manager.
          'FailOnSharedResource=true',
          // The migration gives fields of others to Argo CD, and a later sync removes them (argoproj/argo-cd#28721).
          'ClientSideApplyMigration=false',
          ...propagation(stack),
        ],
      },
    },
  }),
  lossesOf: ({ intent }, stack) => [
    ...(intent.policy.replace ? [`\`replace\` of ${objectText(intent)}: Argo CD fails when an immutable field changes.`] : []),
    ...(propagation(stack).length === 0 && intent.lifecycle === 'own'
      ? [
          `\`deletePropagation: ${intent.policy.deletePropagation}\` of ${objectText(intent)}: Argo CD has one policy for an Application, by default foreground.`,
        ]
      : []),
  ],
  stackLosses: ({ stack, dependsOn }) =>
    dependsOn.length > 0
      ? [
          `The order of stack ${stack.name} after ${dependsOn.join(', ')}: Applications follow their sync waves only where a parent Application applies them, and Argo CD assesses their health (docs/how-to/gitops.md).`,
        ]
      : [],
};

/** Returns the sync option with the deletion policy of a stack, if all its objects have the same. */
function propagation({ intents }: StackManifest): readonly string[] {
  const policies = new Set(intents.flatMap(({ lifecycle, policy }) => (lifecycle === 'own' ? [policy.deletePropagation] : [])));
  const [policy = 'Background'] = policies;
  return policies.size > 1 ? [] : [`PrunePropagationPolicy=${policy.toLowerCase()}`];
}

/** Returns a path expression of jq, which deletes nothing where a list does not exist. */
function jqPathOf(path: FieldPath): string {
  return path.reduce((before, element) => {
    if (element.kind === 'field') return before + member(element.name, before);
    const isItem =
      element.kind === 'key'
        ? element.keys.map(([name, value]) => `${member(name)} == ${JSON.stringify(value)}`).join(' and ')
        : `. == ${JSON.stringify(element.kind === 'value' ? element.value : element.index)}`;
    return `${before}[]? | select(${isItem})`;
  }, '');
}

function member(name: string, before = ''): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return `.${name}`;
  return `${before === '' ? '.' : ''}[${JSON.stringify(name)}]`;
}
