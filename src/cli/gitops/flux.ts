import { groupOf, objectText } from '../../assembly/identity.js';
import { declaredDependencies } from '../../engine/graph/declared-dependencies.js';
import { pointerTo } from '../../fields/index.js';
import type { Dialect } from './dialect.js';
import { hasItems, holdsOthers, isKept, refused } from './yields.js';

const annotation = (name: string) => `kustomize.toolkit.fluxcd.io/${name}`;

/**
 * Flux 2.9 or later, for `spec.ignore`. Source: its documentation, "Kustomization" (https://fluxcd.io/flux/components/kustomize/kustomizations/), sections on
 * ignore rules, dependencies, prune, wait, and controlling the apply behavior of resources.
 */
export const flux: Dialect = {
  title: 'Flux',
  manager: 'kustomize-controller',
  kind: 'Kustomization',
  annotationsOf: ({ intent }) => ({
    ...(isKept(intent) || holdsOthers(intent) ? { [annotation('prune')]: 'disabled' } : {}),
    // Without it, Flux ends the ownership of kubectl in the whole object.
    ...(intent.lifecycle === 'share' ? { [annotation('ssa')]: 'Merge' } : {}),
    ...(intent.policy.replace ? { [annotation('force')]: 'enabled' } : {}),
  }),
  ignoreRules: ({ intent, object, yields }) => {
    if (yields.managers.length > 0) {
      const why = `yields to ${yields.managers.join(', ')}, and Flux has no rule for a manager`;
      throw refused(intent, why, 'Name the fields that this manager sets, or deploy the stack with Fieldwise.');
    }
    const item = yields.fields.find(({ path }) => hasItems(path));
    if (item !== undefined) {
      const why = `yields ${item.text}, and Flux names a list item by its position, which others may move`;
      throw refused(intent, why, 'Leave the field out of the program, or yield the whole list.');
    }
    if (yields.fields.length === 0) return [];
    const group = groupOf(intent.apiVersion);
    return [
      {
        paths: yields.fields.map(({ path }) => pointerTo(path, object)),
        target: {
          ...(group === '' ? {} : { group: exactly(group) }),
          kind: exactly(intent.kind),
          name: exactly(intent.name),
          ...(intent.namespace === undefined ? {} : { namespace: exactly(intent.namespace) }),
        },
      },
    ];
  },
  documentOf: ({ name, path, stack, dependsOn }, rules, { namespace = 'flux-system', sourceRef = { name: 'flux-system' } }) => {
    const seconds = stack.intents.flatMap(({ policy }) => (policy.wait === false ? [] : [policy.wait.seconds]));
    return {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace },
      spec: {
        interval: '10m',
        ...(seconds.length > 0 ? { timeout: `${Math.max(1, ...seconds)}s` } : {}),
        path: `./${path}`,
        prune: stack.prune,
        wait: seconds.length > 0,
        sourceRef: { ...sourceRef, kind: sourceRef.kind ?? 'GitRepository' },
        ...(dependsOn.length > 0 ? { dependsOn: dependsOn.map((other) => ({ name: other })) } : {}),
        ...(rules.length > 0 ? { ignore: rules } : {}),
      },
    };
  },
  lossesOf: ({ intent }, stack) => {
    const object = objectText(intent);
    const before = declaredDependencies(stack, intent);
    return [
      ...(before === undefined || before.length > 0 || intent.phase !== undefined
        ? [
            `The order of ${object} after others of stack ${stack.name}: Flux applies the objects of a Kustomization by kind. A stack of its own comes later.`,
          ]
        : []),
      ...(intent.policy.deletePropagation !== 'Background' && intent.lifecycle === 'own'
        ? [`\`deletePropagation: ${intent.policy.deletePropagation}\` of ${object}: Flux deletes in the background.`]
        : []),
      ...(intent.lifecycle === 'share'
        ? [
            `The safety of ${object} from other Kustomizations: one that applies it, too, would take these fields away, under the same field manager.`,
          ]
        : []),
    ];
  },
  stackLosses: () => [],
};

/** Returns an expression that matches a text and nothing else; Flux anchors it. */
function exactly(text: string): string {
  return text.replaceAll(/[^\w-]/g, (character) => `\\${character}`);
}
