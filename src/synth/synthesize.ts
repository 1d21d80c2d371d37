import type { AppRoot } from '../app/app-root.js';
import { DocumentObject } from '../app/document-object.js';
import { Stack } from '../app/stack.js';
import {
  type Assembly,
  type AssemblyFiles,
  type FileDigest,
  type IntentManifest,
  type IntentPolicy,
  objectText,
  type PartialObject,
  type StackManifest,
} from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { fieldManagerOf } from '../util/field-manager.js';
import { alteredIncludes } from './declared/altered-includes.js';
import { constructTree } from './declared/construct-tree.js';
import { declaredStacks } from './declared/declared.js';
import { withDeclaredScopes } from './declared/declared-scopes.js';
import { type DroppedEmpty, dropEmpties } from './declared/drop-empties.js';
import { withoutHelmHooks } from './declared/helm-hooks.js';
import { ImportedTypes } from './declared/imported-types.js';
import { ShippedTypes } from './declared/shipped-types.js';
import { isBare, withTracking } from './declared/tracking.js';
import { KnownTypes, type Typed } from './declared/typed.js';
import { withoutStatus } from './declared/without-status.js';
import { DiagnosticCollector } from './diagnostic-collector.js';
import { formerIdentitiesOf } from './former-identities.js';
import { checkLiteral, type LiteralSchemas } from './lint/check-literal.js';
import { lint } from './lint/lint.js';
import { type LintDiagnostic, lintDiagnostic } from './lint/lint-diagnostic.js';
import { objectsOutsideApp } from './lint/objects-outside-app.js';
import { unreadContext } from './lint/unread-context.js';
import { checkLabels } from './merge/check-labels.js';
import { checkName } from './merge/check-name.js';
import { effectivePolicies } from './merge/effective-policies.js';
import { mergeStack } from './merge/merge-stack.js';
import type { MergedIntent, MergedStack } from './merge/merged-intent.js';
import { checkOverlaidLists } from './merge/overlaid-lists.js';
import { listPathFits, pathFits } from './merge/policy-path.js';
import { checkReferences } from './merge/references.js';
import { checkRepeatedItems } from './merge/repeated-items.js';
import { type Dependencies, dependenciesOf, type IntentOrder } from './order/dependencies.js';
import { withPreviousOwners } from './previous-owners.js';
import { programInputs } from './program-inputs.js';
import { type Render, renderTo } from './render.js';

/**
 * Returns the assembly of an app, without writing it. The same program always gives the same bytes.
 *
 * @param collector collects the errors.
 * @throws FieldwiseError a single error unchanged, or `synth-failed` with several: `app-without-name`, `intent-invalid`,
 *   `intent-without-name`, `intent-without-kind`, `object-name-invalid`, `intent-conflict`, `intent-two-versions`, `intent-own-and-share`, `policy-conflict`,
 *   `policy-invalid`, `construct-invalid`, `list-key-duplicate`, `port-duplicate`, `reference-misplaced`, `helm-hook-refused`, `document-repeated`,
 *   `rename-ambiguous`, `dependency-cycle`, `list-type-not-deployed`.
 */
export function synthesize(app: AppRoot, collector = new DiagnosticCollector()): AssemblyFiles {
  const files = new Map<string, string>();
  return { manifest: synthesizeStacks(app, collector, renderTo(files)).manifest, files };
}

/**
 * Returns the assembly of an app without its files, whose digests are empty.
 *
 * @param collector collects the errors.
 * @throws FieldwiseError as `synthesize`.
 */
export function synthesizeInMemory(app: AppRoot, collector: DiagnosticCollector): Assembly {
  return synthesizeStacks(app, collector, () => ({ json: noFile, yaml: noFile }));
}

const noFile: FileDigest = { path: '', sha256: '' };

function synthesizeStacks(app: AppRoot, collector: DiagnosticCollector, render: Render): Assembly {
  const name = collector.attempt(() => nameOf(app)) ?? '';
  const tree = constructTree(app);
  const diagnostics: LintDiagnostic[] = [];
  const all = withDeclaredScopes(withoutHelmHooks(declaredStacks(app, tree, collector), diagnostics, collector));
  const types = new KnownTypes(all.flatMap((stack) => stack.declared.flatMap(({ root }) => (root ? [root] : []))));
  diagnostics.push(...alteredIncludes(all));
  const declared = withoutStatus(all, types, diagnostics);
  const merged = declared.map((stack) => mergeStack(stack, types, collector));
  for (const stack of merged)
    for (const intent of stack.intents) {
      for (const check of [checkName, checkLabels]) collector.attempt(() => check(intent));
      collector.attempt(() => checkPolicyPaths(intent));
      checkReferences(intent, collector);
    }
  collector.throwIfAny();

  const stacks = merged.map((stack) => withoutEmpties(stack, diagnostics));
  const effective = new Map<MergedIntent, IntentPolicy>(
    stacks.flatMap((stack) => {
      const policyOf = effectivePolicies(stack, app);
      return stack.intents.map((intent) => [intent, policyOf(intent)] as const);
    }),
  );
  const inForce = (intent: MergedIntent) => effective.get(intent) as IntentPolicy;
  const shipped = new ShippedTypes();
  const schemas = { known: types, shipped, imported: new ImportedTypes(process.cwd(), shipped) };
  diagnostics.push(...stacks.flatMap((stack) => checkContents(stack, schemas, inForce, collector)), ...objectsOutsideApp(app));
  const warnings = lint(tree, stacks, diagnostics, inForce);
  const dependencies = dependenciesOf(tree, stacks, collector);
  if (dependencies) checkOverlaidLists(app, stacks, dependencies.stacks, inForce, collector);
  collector.throwIfAny();
  const { order, stacks: before, intents } = dependencies as Dependencies;
  const positions = new Map(order.map((index, position) => [index, position]));
  const ordered = order.map((index) => {
    const needed = [...(before[index] as ReadonlySet<number>)].sort((one, other) => positions.get(one)! - positions.get(other)!);
    const stack = stacks[index] as MergedStack;
    return stackManifest(
      app,
      name,
      stack,
      inForce,
      intents[index] as IntentOrder,
      needed.map((other) => stacks[other]?.name ?? ''),
      render,
    );
  });
  return {
    manifest: {
      fieldwise: 1,
      app: name,
      instance: app.instance,
      ...(app.id === undefined ? {} : { id: app.id }),
      stacks: withPreviousOwners(ordered.map(({ manifest }) => manifest)),
      ...programInputs(app, ordered),
      warnings: [...warnings, ...unreadContext(app)],
    },
    objects: ordered.map(({ objects }) => objects),
  };
}

function nameOf({ name }: AppRoot): string {
  if (name !== undefined) return name;
  throw new FieldwiseError('app-without-name', 'usage', 'The app has no name', {
    next: "Set it with `new App({ name: 'shop' })`, `name: shop` in fieldwise.yaml, or the environment variable FIELDWISE_APP_NAME. It is part of every field manager.",
  });
}

function checkPolicyPaths({ policy, root, typed, declared, identity }: MergedIntent): void {
  if (!root) return;
  const check = (name: 'fields' | 'listKeys', fits: typeof pathFits, what: string) => {
    const unknown = Object.keys(policy[name] ?? {}).find((path) => !fits(path, typed));
    if (unknown === undefined) return;
    const blamed = declared.find((declaration) => declaration.policy?.[name]?.[unknown]);
    throw new FieldwiseError('policy-invalid', 'usage', `The policy names ${unknown}, but ${identity.kind} has no such ${what}`, {
      location: { ...blamed?.location, object: objectText(identity), field: unknown },
      next: `Correct the path${what === 'field' ? ', such as `spec.template.spec.containers[name=api].image`' : ''}.`,
    });
  };
  check('fields', pathFits, 'field');
  check('listKeys', listPathFits, 'list');
}

/** Checks the declared values of a stack: repeated items, and literals by the schemas at hand. */
function checkContents(
  stack: MergedStack,
  schemas: LiteralSchemas,
  policyOf: (intent: MergedIntent) => IntentPolicy,
  collector: DiagnosticCollector,
): readonly LintDiagnostic[] {
  return stack.intents.flatMap((intent) => {
    // An intent that is merged client-side is sent as a whole object, in which the server accepts repeated items.
    const isDynamic = policyOf(intent).strategy === 'dynamic';
    const before = collector.size;
    if (!isDynamic) checkRepeatedItems(intent, collector);
    return checkLiteral({ stack, intent }, schemas, { isDynamic, repeatedReported: collector.size > before }, collector);
  });
}

const reasons = {
  'empty-list-dropped': 'is an empty associative list: the server does not record who declares it',
  'empty-map-dropped': 'is an empty map of free keys: the server does not reliably record who declares it',
} as const;

function withoutEmpties(stack: MergedStack, diagnostics: LintDiagnostic[]): MergedStack {
  const intents = stack.intents.map((intent) => {
    const dropped: DroppedEmpty[] = [];
    const object = dropEmpties(intent.object, intent.typed, dropped) as MergedIntent['object'];
    for (const { code, path } of dropped) {
      const message = `${path} of ${objectText(intent.identity)} ${reasons[code]}, so it is left out.`;
      diagnostics.push(
        lintDiagnostic(code, message, { stack, intent }, path, { declares: ({ object: declared }) => drops(declared, intent.typed, path) }),
      );
    }
    return object === intent.object ? intent : { ...intent, object };
  });
  return { ...stack, intents };
}

function drops(object: PartialObject, typed: Typed, field: string): boolean {
  const dropped: DroppedEmpty[] = [];
  dropEmpties(object, typed, dropped);
  return dropped.some(({ path }) => path === field);
}

function stackManifest(
  app: AppRoot,
  appName: string,
  stack: MergedStack,
  policyOf: (intent: MergedIntent) => IntentPolicy,
  { order, intents, groups }: IntentOrder,
  before: readonly string[],
  render: Render,
): { readonly manifest: StackManifest; readonly objects: readonly PartialObject[] } {
  const position = new Map(order.map((index, rank) => [index, rank]));
  const ranksOf = (nodes: readonly number[]) => nodes.map((node) => position.get(node) ?? node).sort((left, right) => left - right);
  const beforeIt = (index: number) => ranksOf([...(intents[index] ?? [])]);
  const ordered = order.map((index) => stack.intents[index] as MergedIntent);
  const entries = ordered.map((intent, rank) => intentManifest(intent, policyOf(intent), beforeIt(order[rank] as number)));
  const formerIdentities = formerIdentitiesOf(app, appName, stack);
  const identity = { app: appName, instance: app.instance, stack: stack.name };
  const manager = fieldManagerOf(identity);
  const tracks = app.tracking === 'annotation';
  // The server would record no owner of an owned object without declared fields.
  const isMarked = (object: PartialObject, rank: number) => tracks || (entries[rank]?.lifecycle === 'own' && isBare(object));
  const objects = ordered.map(({ object }, rank) => (isMarked(object, rank) ? withTracking(object, { ...identity, manager }) : object));
  const described = {
    name: stack.name,
    manager,
    ...(formerIdentities.length > 0 ? { formerIdentities } : {}),
    dependsOn: before,
  };
  const manifest = {
    ...described,
    ...render({ name: appName, instance: app.instance }, { ...described, intents: entries }, objects),
    prune: (Stack.isStack(stack.chart) ? stack.chart.prune : undefined) ?? app.prune,
    intents: entries,
    ...(groups.length === 0 ? {} : { groups: groups.map(ranksOf) }),
  };
  return { manifest, objects };
}

function intentManifest(intent: MergedIntent, policy: IntentPolicy, dependsOn: readonly number[]): IntentManifest {
  const { apiVersion, kind, namespace, name } = intent.identity;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lifecycle: intent.declared[0]?.lifecycle ?? 'own',
    policy,
    declaredBy: intent.declared.map(({ location }) => location),
    dependsOn,
    ...phaseOf(intent),
  };
}

function phaseOf({ declared: [first] }: MergedIntent): Pick<IntentManifest, 'phase'> {
  const construct = first?.construct;
  return DocumentObject.isDocumentObject(construct) && construct.phase !== undefined ? { phase: construct.phase } : {};
}
