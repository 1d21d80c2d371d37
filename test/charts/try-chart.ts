import { parseAllDocuments, stringify } from 'yaml';
import { type ClusterClient, namespaces } from '../../src/kubernetes/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { RunResult } from '../harness/fieldwise.js';
import { Project, type Report } from '../harness/project.js';

export interface Refused {
  readonly object: string;
  readonly reason: string;
}

export interface ChartResult {
  readonly name: string;
  /** Objects that the server accepted and that were planned. */
  readonly objects: number;
  readonly refused: readonly Refused[];
  /** Ways of planning that see a change, or fail. */
  readonly failures: readonly string[];
}

interface ChartContext {
  readonly cluster: ClusterClient;
  readonly kubeconfig: string;
}

const plans = [
  ['by the server', ['diff', '-o', 'json']],
  ['read-only', ['diff', '-o', 'json', '--read-only']],
  ['offline', ['diff', '-o', 'json', '--offline']],
] as const;

/** Deploys a chart, plans it in three ways, and destroys it again. */
export async function tryChart(
  name: string,
  rendered: string,
  context: ChartContext,
): Promise<ChartResult & { readonly project: Project }> {
  const namespace = `chart-${name}`;
  let documents = documentsOf(rendered).map(withoutCalls);
  for (const name of namespacesOf(documents, namespace)) {
    const place = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await context.cluster.apply({ resource: namespaces, name }, place, { manager: 'test', force: true });
  }
  const project = new Project({ 'main.ts': programOf(name, namespace), 'fieldwise.yaml': `app: main.ts\nname: ${name}\n` }, context);
  const refused: Refused[] = [];
  const failures: string[] = [];
  let report: Report | undefined;
  // What the server refuses is left out of the next try; so a chart ends with what it accepts.
  for (let tries = 0; tries < 4; tries++) {
    project.write({ 'rendered.yaml': documents.map((document) => stringify(document, { version: '1.1' })).join('---\n') });
    report = await project.deploy(['--no-wait', '--yes']);
    const failed = report.objects.filter(({ result }) => result === 'failed' || result === 'skipped');
    if (report.exitCode === 0 || failed.length === 0) break;
    const bad = failed.filter(({ result }) => result === 'failed');
    for (const { object, error } of bad) refused.push({ object, reason: firstLine(error?.message ?? String(error)) });
    documents = documents.filter((document) => !bad.some(({ object }) => isNamed(document, String(object))));
  }
  if (report?.exitCode !== 0) failures.push(`the deploy ended with ${report?.exitCode}: ${tail(report?.result)}`);
  const objects = report?.objects.length ?? 0;
  const snapshot = await project.run(['snapshot']);
  if (snapshot.exitCode !== 0) failures.push(`the snapshot ended with ${snapshot.exitCode}: ${tail(snapshot)}`);
  for (const [way, args] of plans) failures.push(...changesIn(way, await project.run(args)));
  const destroyed = await project.destroy(['--delete', 'foreign', '--timeout', '20']);
  // Objects of a Namespace that no controller empties, and those that a finalizer holds, may stay.
  if (destroyed.exitCode !== 0 && destroyed.exitCode !== 4)
    failures.push(`the destroy ended with ${destroyed.exitCode}: ${tail(destroyed.result)}`);
  return { name, objects, refused, failures, project };
}

function programOf(name: string, namespace: string): string {
  return [
    "import { Include } from 'cdk8s';",
    "import { App, Stack } from 'fieldwise';",
    `const app = new App({ name: ${JSON.stringify(name)} });`,
    `const stack = new Stack(app, 'chart', { namespace: ${JSON.stringify(namespace)} });`,
    "new Include(stack, 'rendered', { url: 'rendered.yaml' });",
    'app.synth();',
    '',
  ].join('\n');
}

/** Returns the objects of a stream of documents. */
export function documentsOf(rendered: string): JsonObject[] {
  return parseAllDocuments(rendered, { version: '1.1', logLevel: 'silent' })
    .map((document) => document.toJS() as Json)
    .filter(isJsonObject);
}

/** Webhooks of a chart whose Pods do not run would refuse every request of the plans: they stay, but are never called. */
function withoutCalls(document: JsonObject): JsonObject {
  if (!/WebhookConfiguration$/.test(String(document.kind)) || !Array.isArray(document.webhooks)) return document;
  const webhooks = document.webhooks
    .filter(isJsonObject)
    .map((webhook) => ({ ...webhook, matchConditions: [{ name: 'never', expression: 'false' }] }));
  return { ...document, webhooks };
}

/** Namespaces that objects of a chart stand in and that it does not make itself. */
export function namespacesOf(documents: readonly JsonObject[], own: string): ReadonlySet<string> {
  const named = documents.flatMap(({ metadata }) =>
    isJsonObject(metadata) && typeof metadata.namespace === 'string' ? [metadata.namespace] : [],
  );
  const made = documents
    .filter(({ kind }) => kind === 'Namespace')
    .map(({ metadata }) => (isJsonObject(metadata) ? metadata.name : undefined));
  return new Set([own, ...named].filter((name) => !made.includes(name)));
}

function isNamed(document: JsonObject, object: string): boolean {
  const [kind, path = ''] = object.split(' ');
  const name = isJsonObject(document.metadata) ? document.metadata.name : undefined;
  return document.kind === kind && path.split('/').at(-1) === name;
}

function changesIn(way: string, result: RunResult): string[] {
  const summary = result.events.find(({ event }) => event === 'plan-summary');
  const changed = result.events.filter(
    ({ event, action, fields }) => event === 'plan' && (action !== 'unchanged' || changesOf(fields).length > 0),
  );
  if (result.exitCode !== 0 || summary === undefined) return [`${way}: ended with ${result.exitCode}: ${tail(result)}`];
  return changed.map(
    (object) => `${way}: ${object.action} ${object.object} ${JSON.stringify(object.error ?? changesOf(object.fields)).slice(0, 600)}`,
  );
}

/** Fields that a deploy would not leave as they are. */
function changesOf(fields: readonly { readonly change: string }[] = []): readonly object[] {
  return fields.filter(({ change }) => change !== 'same' && change !== 'co-own');
}

function tail(result: RunResult | undefined): string {
  return `${result?.stderr ?? ''}`.trim().split('\n').slice(-3).join('\n').slice(0, 900);
}

/** Returns the beginning of a message. */
export function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/ \(https:[^)]*\)/, '').slice(0, 200);
}
