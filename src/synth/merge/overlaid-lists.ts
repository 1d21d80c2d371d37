import type { AppRoot } from '../../app/app-root.js';
import { groupOf, objectText } from '../../assembly/index.js';
import { type ListType, parseSchemaPath, type RootType, readCrd, type SchemaStep } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { itemOf, memberOf, type Typed, typedRoot } from '../declared/typed.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { PolicyOf } from '../lint/merged-client-side.js';
import type { MergedIntent, MergedStack } from './merged-intent.js';

/** The context key that lists patched CRDs which are deployed by other means. */
export const deployedListTypes = 'deployedListTypes';

/**
 * Rejects shares of lists that are associative only by `fieldwise import --list-type`, unless the patched CRD is deployed first: declared in
 * the same stack or in a dependency of it, or marked as deployed. With the CRD of the author in the cluster, such a share would replace the
 * whole list.
 */
export function checkOverlaidLists(
  app: AppRoot,
  stacks: readonly MergedStack[],
  before: readonly ReadonlySet<number>[],
  policyOf: PolicyOf,
  collector: DiagnosticCollector,
): void {
  for (const [index, { intents }] of stacks.entries()) {
    for (const intent of intents) {
      if (intent.declared[0]?.lifecycle !== 'share' || intent.root?.overlaid === undefined) continue;
      if (policyOf(intent).strategy === 'dynamic') continue;
      for (const path of intent.root.overlaid) {
        if (!isDeclared(intent.object, parseSchemaPath(path)) || isMarked(app, crdName(intent.root))) continue;
        const where = stacksWithCrd(stacks, intent.root, path);
        if (where.some((other) => other === index || isBefore(other, index, before))) continue;
        collector.add(refusal(intent, path, where[0] === undefined ? undefined : stacks[where[0]]?.name));
      }
    }
  }
}

/** Returns the keys of lists whose type was overridden on import as `listKeys` of a policy, because the schema of the cluster lacks them. */
export function overlaidKeys(root: RootType | undefined): Readonly<Record<string, readonly string[]>> {
  const keys = (root?.overlaid ?? []).flatMap((path) => {
    const steps = parseSchemaPath(path);
    const list = listAt(typedRoot(root as RootType), steps);
    const names = steps.filter((step) => !('items' in step)).map((step) => ('property' in step ? step.property : undefined));
    return list === undefined || list.keys.length === 0 || names.includes(undefined) ? [] : [[`.${names.join('.')}`, list.keys] as const];
  });
  return Object.fromEntries(keys);
}

function refusal({ identity, declared, root }: MergedIntent, path: string, stack: string | undefined): FieldwiseError {
  const crd = crdName(root as RootType);
  return new FieldwiseError(
    'list-type-not-deployed',
    'usage',
    `${objectText(identity)} shares ${path}, whose list type was overridden on import and is not that of the author of the CRD`,
    {
      location: { ...declared[0]?.location, object: objectText(identity), field: path },
      next:
        stack === undefined
          ? `With the original CRD in the cluster, this would replace the whole list. Declare the patched CRD ${crd} in this app (import wrote it beside the builders). If it is deployed by other means, set the context value ${deployedListTypes} to ${crd}.`
          : `Stack ${stack} declares the patched CRD ${crd}, but may be deployed later. Make this stack depend on it with addDependency.`,
    },
  );
}

function crdName({ resource, apiVersion }: RootType): string {
  return `${resource}.${groupOf(apiVersion)}`;
}

function isMarked(app: AppRoot, crd: string): boolean {
  const marked: unknown = app.node.tryGetContext(deployedListTypes);
  if (marked === true || marked === 'true') return true;
  const names = typeof marked === 'string' ? marked.split(',') : Array.isArray(marked) ? marked : [];
  return names.some((name) => typeof name === 'string' && name.trim() === crd);
}

function isBefore(other: number, index: number, before: readonly ReadonlySet<number>[]): boolean {
  const reached = new Set(before[index]);
  // The loop also visits elements that are added to the Set meanwhile, and so the dependencies of dependencies.
  for (const stack of reached) for (const next of before[stack] ?? []) reached.add(next);
  return reached.has(other);
}

/** Returns the stacks that declare the CRD with the overridden list type. */
function stacksWithCrd(stacks: readonly MergedStack[], root: RootType, path: string): readonly number[] {
  const expected = listAt(typedRoot(root), parseSchemaPath(path));
  return [...stacks.keys()].filter((index) =>
    stacks[index]?.intents.some(({ identity, object }) => {
      if (identity.kind !== 'CustomResourceDefinition' || identity.name !== crdName(root)) return false;
      const found = rootOf(object, root.apiVersion);
      const list = found && listAt(typedRoot(found), parseSchemaPath(path));
      return list?.relation === 'associative' && list.keys.join() === expected?.keys.join();
    }),
  );
}

function rootOf(crd: unknown, apiVersion: string): RootType | undefined {
  try {
    return readCrd(crd).roots.find((root) => root.apiVersion === apiVersion);
  } catch {
    return undefined; // a partial CRD, which does not declare its lists
  }
}

function listAt(start: Typed, steps: readonly SchemaStep[]): ListType | undefined {
  let typed: Typed | undefined = start;
  for (const step of steps) {
    if ('items' in step) typed = itemOf(typed);
    else if ('property' in step) typed = memberOf(typed, step.property);
    else typed = typed && memberOf({ ...typed, type: { ...typed.type, ...valuesOnly(typed) } }, '');
  }
  return typed?.type.list;
}

// Without fields of their own, all names lead to the type of the values of the map.
function valuesOnly({ type: { map } }: Typed): Pick<Typed['type'], 'map'> {
  return map === undefined ? {} : { map: { ...map, fields: new Map() } };
}

function isDeclared(value: Json | undefined, [step, ...rest]: readonly SchemaStep[]): boolean {
  if (value === undefined) return false;
  if (step === undefined) return true;
  if ('items' in step) return Array.isArray(value) && value.some((item: Json) => isDeclared(item, rest));
  if (!isJsonObject(value)) return false;
  if ('values' in step) return Object.values(value).some((member) => isDeclared(member, rest));
  return Object.hasOwn(value, step.property) && isDeclared(value[step.property], rest);
}
