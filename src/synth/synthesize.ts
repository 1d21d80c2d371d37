import type { AppRoot } from '../app/app-root.js';
import { fieldManagerOf } from '../app/field-manager.js';
import { Stack } from '../app/stack.js';
import { type AssemblyFiles, digestOf, type IntentManifest, objectText, type StackManifest, type SynthWarning } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { declaredStacks } from './declared.js';
import { dependenciesOf, intentOrder, stackOrder } from './dependencies.js';
import { type DroppedEmpty, dropEmpties } from './drop-empties.js';
import { fileNameOf } from './file-name.js';
import { lint, warning } from './lint.js';
import { knownRoots, type MergedIntent, type MergedStack, mergedStack } from './merged-stack.js';
import { checkOverlaidLists } from './overlaid-lists.js';
import { effectivePolicy } from './policies.js';
import { pathFits } from './policy-path.js';
import { Problems } from './problems.js';
import { jsonFileOf, yamlFileOf } from './render.js';

/**
 * What an app declares, as an assembly. Writes nothing. The same program gives the same bytes.
 *
 * @throws FieldwiseError with the first mistake, or `synth-failed` with all of them: `app-without-name`, `intent-invalid`,
 * `intent-without-name`, `intent-without-kind`, `intent-conflict`, `intent-two-versions`, `intent-own-and-share`, `policy-conflict`,
 * `policy-invalid`, `construct-invalid`, `dependency-cycle`, `list-type-not-deployed`.
 */
export function synthesize(app: AppRoot): AssemblyFiles {
  const problems = new Problems();
  const name = problems.attempt(() => nameOf(app)) ?? '';
  const declared = declaredStacks(app, problems);
  const roots = knownRoots(declared);
  const merged = declared.map((stack) => mergedStack(stack, roots, problems));
  for (const stack of merged) for (const intent of stack.intents) problems.attempt(() => checkPolicyPaths(intent));
  problems.throwIfAny();

  const warnings: SynthWarning[] = [];
  const stacks = merged.map((stack) => withoutEmpties(stack, warnings));
  warnings.push(...lint(stacks));
  const dependencies = dependenciesOf(app, stacks);
  checkOverlaidLists(app, stacks, dependencies.stacks, problems);
  const files = new Map<string, string>();
  const manifests = new Map<number, StackManifest>();
  for (const [index, stack] of stacks.entries()) {
    const order = problems.attempt(() => intentOrder(stack, dependencies.intents[index] ?? []));
    if (!order) continue;
    const before = [...(dependencies.stacks[index] ?? [])].map((other) => stacks[other]?.name ?? '');
    manifests.set(index, stackManifest(app, name, stack, { order, intents: dependencies.intents[index] ?? [], before }, files));
  }
  const order = problems.attempt(() => stackOrder(stacks, dependencies)) ?? [];
  problems.throwIfAny();
  const ordered = order.map((index) => manifests.get(index) as StackManifest);
  const positions = new Map(ordered.map((stack, position) => [stack.name, position]));
  return {
    manifest: {
      fieldwise: 1,
      app: name,
      instance: app.instance,
      stacks: ordered.map((stack) => ({ ...stack, dependsOn: [...stack.dependsOn].sort((a, b) => positions.get(a)! - positions.get(b)!) })),
      warnings,
    },
    files,
  };
}

function nameOf({ name }: AppRoot): string {
  if (name !== undefined) return name;
  throw new FieldwiseError('app-without-name', 'usage', 'The app has no name', {
    next: "Give it one: `new App({ name: 'shop' })`, or `name: shop` in fieldwise.yaml, or the environment variable FIELDWISE_APP_NAME. It is part of every field manager.",
  });
}

function checkPolicyPaths({ policy, root, typed, declared, identity }: MergedIntent): void {
  if (!root) return;
  const unknown = Object.keys(policy.fields ?? {}).find((path) => !pathFits(path, typed));
  if (unknown === undefined) return;
  const blamed = declared.find((declaration) => declaration.policy?.fields?.[unknown]);
  throw new FieldwiseError('policy-invalid', 'usage', `The policy names ${unknown}, and ${identity.kind} has no such field`, {
    place: { ...blamed?.place, object: objectText(identity), field: unknown },
  });
}

const reasons = {
  'empty-list-dropped': 'is an empty associative list: the server keeps no record of who declares it',
  'empty-map-dropped': 'is an empty map of free keys: the server keeps no sound record of who declares it',
} as const;

function withoutEmpties(stack: MergedStack, warnings: SynthWarning[]): MergedStack {
  const intents = stack.intents.map((intent) => {
    const dropped: DroppedEmpty[] = [];
    const object = dropEmpties(intent.object, intent.typed, dropped) as MergedIntent['object'];
    for (const { code, path } of dropped) {
      warnings.push(
        warning(code, `${path} of ${objectText(intent.identity)} ${reasons[code]}, so it is left out.`, { stack, intent }, path),
      );
    }
    return dropped.length === 0 ? intent : { ...intent, object };
  });
  return { ...stack, intents };
}

function stackManifest(
  app: AppRoot,
  appName: string,
  stack: MergedStack,
  { order, intents, before }: { order: readonly number[]; intents: readonly ReadonlySet<number>[]; before: readonly string[] },
  files: Map<string, string>,
): StackManifest {
  const position = new Map(order.map((index, place) => [index, place]));
  const ordered = order.map((index) => stack.intents[index] as MergedIntent);
  const objects = ordered.map(({ object }) => object);
  const entries = ordered.map((intent, place): IntentManifest => {
    const dependsOn = [...(intents[order[place] ?? 0] ?? [])].map((index) => position.get(index) ?? 0).sort((left, right) => left - right);
    return intentManifest(intent, stack, app, dependsOn);
  });
  const file = fileNameOf(stack.name);
  const described = {
    name: stack.name,
    manager: fieldManagerOf({ app: appName, instance: app.instance, stack: stack.name }),
    dependsOn: before,
  };
  const write = (path: string, content: string) => {
    files.set(path, content);
    return { path, sha256: digestOf(content) };
  };
  return {
    ...described,
    json: write(`${file}.json`, jsonFileOf(objects)),
    yaml: write(
      `${file}.yaml`,
      yamlFileOf({ name: appName, instance: app.instance }, { ...described, intents: entries }, `${file}.yaml`, objects),
    ),
    prune: (Stack.isStack(stack.chart) ? stack.chart.prune : undefined) ?? app.prune,
    intents: entries,
  };
}

function intentManifest(intent: MergedIntent, stack: MergedStack, app: AppRoot, dependsOn: readonly number[]): IntentManifest {
  const { apiVersion, kind, namespace, name } = intent.identity;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lifecycle: intent.declared[0]?.lifecycle ?? 'own',
    policy: effectivePolicy(intent, stack, app),
    declaredBy: intent.declared.map(({ place }) => place),
    dependsOn,
  };
}
