import { Construct } from 'constructs';
import { groupOf } from '../../assembly/identity.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { type HookPosition, hookPosition } from './helm-hook-events.js';

/** The phase of an object, and the construct that depends on that of the phase before. */
export interface Phase {
  readonly scope: Construct;
  readonly phase: number;
}

/**
 * Orders the Helm hooks of an install before and after the other objects, by their weights: each phase begins when the one before is ready.
 * Namespaces and CustomResourceDefinitions come first, as Helm installs them. Source: Helm documentation, "Chart Hooks".
 *
 * @returns undefined if no object is such a hook.
 */
export function phasesOf<Declared extends { readonly object: JsonObject }>(
  stack: Construct,
  objects: readonly Declared[],
): ReadonlyMap<Declared, Phase> | undefined {
  const positions = objects.map(({ object }) => hookPosition(annotationsOf(object)));
  if (positions.every((position) => position === undefined)) return undefined;
  const keys = objects.map(({ object }, index) => sortKey(object, positions[index]));
  const sorted = [...new Map(keys.map((key) => [key.join(), key])).values()].sort(
    (left, right) => left[0] - right[0] || left[1] - right[1],
  );
  const phases = new Map<string, Phase>();
  let before: Construct | undefined;
  for (const [phase, key] of sorted.entries()) {
    const scope = new Construct(stack, names[key[0]] + (isHook(key) ? ` ${key[1]}` : ''));
    if (before !== undefined) scope.node.addDependency(before);
    phases.set(key.join(), { scope, phase });
    before = scope;
  }
  return new Map(objects.map((object, index) => [object, phases.get((keys[index] as SortKey).join()) as Phase]));
}

/** The position in `names`, and the weight of a hook. */
type SortKey = readonly [group: 0 | 1 | 2 | 3, weight: number];

const names = ['prerequisites', 'hooks before', 'objects', 'hooks after'] as const;

function sortKey(object: JsonObject, position: HookPosition | undefined): SortKey {
  if (position !== undefined) return [position.moment === 'before' ? 1 : 3, position.weight];
  return [isPrerequisite(object) ? 0 : 2, 0];
}

function isHook([group]: SortKey): boolean {
  return group === 1 || group === 3;
}

function isPrerequisite({ apiVersion, kind }: JsonObject): boolean {
  return ['/Namespace', 'apiextensions.k8s.io/CustomResourceDefinition'].includes(`${groupOf(String(apiVersion))}/${String(kind)}`);
}

function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) && isJsonObject(metadata.annotations) ? metadata.annotations : {};
}
