import { createHash } from 'node:crypto';
import { identityKey, objectText } from '../../assembly/identity.js';
import { trackingKey } from '../../assembly/tracking-key.js';
import type { Assembly, IntentManifest, Manifest, PartialObject, StackManifest, SynthDiagnostic } from '../../assembly/types.js';
import { intentStepsOf, requirementsOf, wavesOf } from '../../engine/graph/waves.js';
import { isBuiltIn } from '../../schema/index.js';
import { isBuiltInClusterScoped } from '../../synth/declared/built-in.js';
import { DiagnosticCollector } from '../../synth/diagnostic-collector.js';
import { fileNameOf } from '../../synth/file-name.js';
import { declarationLines, oneLine } from '../../synth/render.js';
import { yamlWriter } from '../../synth/yaml.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { isSecretReference } from '../../util/secret-reference.js';
import { argoCd } from './argo-cd.js';
import type { Dialect, GitopsSettings, PlainIntent, PlainStack } from './dialect.js';
import { flux } from './flux.js';
import { lossesOf } from './losses.js';
import type { GitopsTool } from './tools.js';
import { refused, yieldsOf } from './yields.js';

export const dialects: Readonly<Record<GitopsTool, Dialect>> = { argocd: argoCd, flux };

/** The file that lists what a tool does not do. */
export const lossesName = 'not-carried-over.md';

/** The documents of a tool for an assembly. */
export interface PlainDocuments {
  /** The text of each file, by its path in the output with forward slashes. */
  readonly files: ReadonlyMap<string, string>;
  /** The stacks, with the intents that are written. */
  readonly stacks: readonly StackManifest[];
  /** The losses: each is something that the program says and the tool does not do. */
  readonly lost: readonly SynthDiagnostic[];
}

/**
 * Returns the documents by which Argo CD or Flux applies an assembly: for each stack, its objects, and an Application or a Kustomization. The same
 * assembly always gives the same bytes. A reference to a value of a Secret never becomes a value: the Secret is left out.
 *
 * @throws FieldwiseError `gitops-refused`, or `synth-failed` with several.
 */
export function plainDocuments(assembly: Assembly, tool: GitopsTool, settings: GitopsSettings): PlainDocuments {
  const { manifest } = assembly;
  const dialect = dialects[tool];
  const collector = new DiagnosticCollector({ several: `For ${dialect.title}, the program has`, result: 'nothing was written' });
  refuseSeveralStacks(manifest, dialect, collector);
  const before = stacksBefore(assembly);
  const yamlOf = yamlWriter();
  const files = new Map<string, string>();
  const lost: SynthDiagnostic[] = [...losesAll(manifest, dialect)];
  const stacks = manifest.stacks.map((stack, index) => {
    const plain = plainStack(assembly, index, { dialect, settings, before, collector, lost });
    const rules = plain.intents.flatMap((intent) => collector.attempt(() => dialect.ignoreRules(intent)) ?? []);
    for (const message of [...dialect.stackLosses(plain), ...losesOfStack(stack, dialect)]) lost.push(lossOf(message, stack));
    const header = `# Stack ${oneLine(stack.name)} of app ${oneLine(manifest.app)}, instance ${oneLine(manifest.instance)}. Written by fieldwise synth --for ${tool}; do not edit.\n`;
    const documents = plain.intents.map(
      (one) => `---\n${declarationLines(one.intent)}${yamlOf(withAnnotations(one.object, stack.manager, dialect.annotationsOf(one)))}`,
    );
    files.set(`${directoryOf(stack)}/objects.yaml`, `${header}${documents.join('')}`);
    files.set(
      `${dialect.kind.toLowerCase()}s/${fileNameOf(stack.name)}.yaml`,
      `${header}---\n${yamlOf(dialect.documentOf(plain, rules, settings))}`,
    );
    return { ...stack, intents: plain.intents.map(({ intent }) => intent) };
  });
  collector.throwIfAny();
  files.set(lossesName, lossesText(lost, manifest, dialect));
  return { files, stacks, lost };
}

interface Surroundings {
  readonly dialect: Dialect;
  readonly settings: GitopsSettings;
  readonly before: readonly ReadonlySet<number>[];
  readonly collector: DiagnosticCollector;
  readonly lost: SynthDiagnostic[];
}

function plainStack(assembly: Assembly, index: number, { dialect, settings, before, collector, lost }: Surroundings): PlainStack {
  const { manifest, objects } = assembly;
  const stack = manifest.stacks[index] as StackManifest;
  const waves = wavesOf(intentStepsOf(assembly, [stack]), undefined, ({ phase = 0 }) => phase);
  const waveOf = new Map(waves.flatMap((wave, number) => wave.map((step) => [step.index, number] as const)));
  const intents = stack.intents.flatMap((intent, position): PlainIntent[] => {
    const object = objects[index]?.[position] as PartialObject;
    if (hasReference(object)) {
      const message = `${objectText(intent)}: it refers to values that only a deploy of Fieldwise reads. Give ${dialect.title} the Secret in another way, such as sealed, or by an operator, before it prunes one whose document it has had.`;
      lost.push(lossOf(message, stack, intent));
      return [];
    }
    const yields = collector.attempt(() => {
      refuseUnsafe(intent, dialect);
      return yieldsOf(intent, object, dialect.manager);
    });
    if (yields === undefined) return [];
    const plain = { intent, object, yields, wave: waveOf.get(position) ?? 0 };
    for (const message of [...lossesOf(plain, stack, dialect.title), ...dialect.lossesOf(plain, stack)])
      lost.push(lossOf(message, stack, intent));
    return [plain];
  });
  return {
    stack,
    name: documentName(manifest, stack),
    path: [settings.path, directoryOf(stack)].filter((part) => part !== '').join('/'),
    intents,
    dependsOn: [...(before[index] as ReadonlySet<number>)].map((other) => documentName(manifest, manifest.stacks[other] as StackManifest)),
    level: levelOf(index, before),
  };
}

function directoryOf({ name }: StackManifest): string {
  return `stacks/${fileNameOf(name)}`;
}

/** Returns the name of the document of a stack. It is the value of a label, too, so it has at most 63 characters. */
function documentName({ app, instance }: Manifest, { name, manager }: StackManifest): string {
  const whole = [app, ...(instance === 'default' ? [] : [instance]), name].join('-');
  const safe = /[a-z0-9](?:.*[a-z0-9])?/.exec(whole.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-'))?.[0] ?? '';
  if (safe === whole && whole.length <= 63) return whole;
  return `${safe.slice(0, 50)}-${createHash('sha256').update(manager).digest('hex').slice(0, 12)}`;
}

/** One field manager applies everything, so what one document contains and another one lacks would be removed. */
function refuseSeveralStacks({ stacks }: Manifest, { title, manager, kind }: Dialect, collector: DiagnosticCollector): void {
  const first = new Map<string, StackManifest>();
  for (const stack of stacks) {
    for (const intent of stack.intents) {
      const other = first.get(identityKey(intent));
      if (other === undefined) first.set(identityKey(intent), stack);
      else {
        const why = `is declared by the stacks ${other.name} and ${stack.name}, and ${title} applies both as ${manager}: each ${kind} would remove the fields of the other`;
        collector.add(refused(intent, why, 'Declare it in one stack, or deploy one of the stacks with Fieldwise.'));
      }
    }
  }
}

function refuseUnsafe(intent: IntentManifest, { title }: Dialect): void {
  const { apiVersion, kind, namespace, lifecycle, policy } = intent;
  if (namespace === undefined && isBuiltIn(apiVersion) && !isBuiltInClusterScoped(apiVersion, kind)) {
    const next = 'Set `namespace` of its stack, or `namespace:` in fieldwise.yaml.';
    throw refused(intent, `names no namespace, and ${title} has no namespace of a kubeconfig`, next);
  }
  if (lifecycle === 'share' && policy.strategy === 'dynamic') {
    const why = `is shared under \`strategy: dynamic\`, and ${title} has the server merge: lists without keys would be taken as a whole`;
    throw refused(intent, why, 'Deploy its stack with Fieldwise.');
  }
}

/** Returns for each stack those that come before it: as declared, and those with its Namespaces and CustomResourceDefinitions. */
function stacksBefore(assembly: Assembly): readonly ReadonlySet<number>[] {
  const { stacks } = assembly.manifest;
  const before = stacks.map(({ dependsOn }) => new Set(dependsOn.map((name) => stacks.findIndex((stack) => stack.name === name))));
  const needs = (stack: number, other: number): boolean =>
    stack === other || [...(before[stack] as ReadonlySet<number>)].some((next) => needs(next, other));
  const steps = intentStepsOf(assembly, stacks);
  const positions = new Map(stacks.map((stack, index) => [stack, index]));
  for (const edge of requirementsOf(steps)) {
    const [from, to] = edge.map((node) => positions.get(steps[node]?.stack as StackManifest) as number) as [number, number];
    // Stacks that need each other come in any order: both tools try again.
    if (!before[to]?.has(from) && !needs(from, to)) before[to]?.add(from);
  }
  return before;
}

function levelOf(index: number, before: readonly ReadonlySet<number>[]): number {
  return Math.max(0, ...[...(before[index] as ReadonlySet<number>)].map((other) => 1 + levelOf(other, before)));
}

function hasReference(value: Json): boolean {
  if (isSecretReference(value)) return true;
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasReference);
  return isJsonObject(value) && Object.values(value).some((member) => member !== undefined && hasReference(member));
}

/** Adds annotations, unless the program declares them, and removes that of Fieldwise's own tracking. Options of both are joined. */
function withAnnotations(object: PartialObject, manager: string, added: Readonly<Record<string, string>>): PartialObject {
  const { annotations, ...metadata } = object.metadata;
  const { [trackingKey(manager)]: _, ...declared } = isJsonObject(annotations) ? annotations : {};
  const all: Record<string, Json | undefined> = { ...declared };
  for (const [name, value] of Object.entries(added)) {
    const own = declared[name];
    if (own === undefined) all[name] = value;
    else if (name.endsWith('/sync-options')) all[name] = `${String(own)},${value}`;
  }
  return { ...object, metadata: { ...metadata, ...(Object.keys(all).length > 0 ? { annotations: all } : {}) } } as PartialObject;
}

function lossOf(message: string, stack: StackManifest, intent?: IntentManifest): SynthDiagnostic {
  const where = intent === undefined ? {} : { object: objectText(intent), ...intent.declaredBy[0] };
  return { code: 'not-carried-over', message, stack: stack.name, ...where };
}

function losesAll({ stacks }: Manifest, { title, manager }: Dialect): readonly SynthDiagnostic[] {
  const messages = [
    `A field manager for each stack: ${title} applies all of them as ${manager}, with force, so no conflict is refused or reported.`,
    `The life of objects that existed before: where ${title} deletes an object without a document, it does not ask who created it.`,
    ...(stacks.every(({ prune }) => prune)
      ? []
      : ['Questions before a deletion: an object that a stack no longer declares stays, unless the stack has `prune: true`.']),
  ];
  return messages.map((message) => ({ code: 'not-carried-over', message }));
}

function losesOfStack({ name, formerIdentities = [] }: StackManifest, { title, kind }: Dialect): readonly string[] {
  return formerIdentities.length > 0 ? [`\`renamedFrom\` of stack ${name}: ${title} knows nothing of the ${kind} of the former name.`] : [];
}

function lossesText(lost: readonly SynthDiagnostic[], { app, instance }: Manifest, { title }: Dialect): string {
  const lines = lost.map(({ message, construct, source }) => {
    const where = construct === undefined ? '' : ` Declared by ${construct}${source === undefined ? '' : ` (${source})`}.`;
    return `- ${oneLine(`${message}${where}`)}\n`;
  });
  return `# Not carried over to ${title}\n\nApp ${oneLine(app)}, instance ${oneLine(instance)}. The program says this, and ${title} does not do it:\n\n${lines.join('')}`;
}
