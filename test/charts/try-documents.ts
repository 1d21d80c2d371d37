import { rmSync } from 'node:fs';
import type { ObjectReport } from '../../src/deploy/index.js';
import { connect, createClusterClient, namespaces, Transport } from '../../src/kubernetes/index.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { eventsOf } from '../harness/events.js';
import type { RunResult } from '../harness/fieldwise.js';
import { poll } from '../harness/poll.js';
import { Project, type Report } from '../harness/project.js';
import { documentsOf, firstLine, namespacesOf } from './try-chart.js';

type Grouped = ReadonlyMap<string, readonly string[]>;

export interface DocumentsResult {
  readonly name: string;
  readonly created: number;
  /** Objects that a second deploy found unchanged. */
  readonly unchanged: number;
  /** Hooks that were left out. */
  readonly hooks: readonly string[];
  /** Objects that the server did not accept, by reason. */
  readonly refused: Grouped;
  /** Objects that the second deploy did not reach, such as those behind a webhook without a backend, by reason. */
  readonly blocked: Grouped;
  /** The object whose document was removed. */
  readonly pruned: string | undefined;
  readonly failures: readonly string[];
}

interface DocumentsContext {
  readonly kubeconfig: string;
  /** CustomResourceDefinitions for kinds that the chart uses and does not define. */
  readonly definitions: readonly JsonObject[];
}

const namespace = 'demo';
const args = ['-f', '-', '--stack', 'chart', '-n', namespace, '--no-wait', '--yes'];

/** Deploys the documents of a chart twice, and a third time without one of them. */
export async function tryDocuments(name: string, stdin: string, context: DocumentsContext): Promise<DocumentsResult> {
  await prepare(stdin, context);
  const project = new Project({ 'fieldwise.yaml': `name: ${name}\n` }, { kubeconfig: context.kubeconfig });
  try {
    const synth = await project.run(['synth', '-f', '-', '--stack', 'chart', '-o', 'json'], { stdin });
    const hooks = synth.events.filter(({ code }) => code === 'helm-hook-skipped').map(({ object }) => String(object));
    const deploy = (text: string) => project.deploy(args, { stdin: text, asProcess: true });
    const first = await deploy(stdin);
    const second = await deploy(stdin);
    const plan = await project.run(['diff', ...args.slice(0, 6), '-o', 'json'], { stdin });
    const created = namesOf(first, ['created']);
    const blocked = reasonsOf(second, (object) => created.includes(object));
    const pruned = removable(second, stdin);
    // A deploy in which an object fails prunes nothing.
    const refusedLines = first.objects.filter(({ result }) => result === 'failed' || result === 'skipped').map(lineOf);
    const third = pruned && (await deploy(without(stdin, [pruned.line, ...refusedLines])));
    return {
      name,
      created: created.length,
      unchanged: namesOf(second, same).filter((object) => created.includes(object)).length,
      hooks,
      refused: reasonsOf(first, () => true),
      blocked,
      pruned: pruned?.object,
      failures: [
        ...failuresOf(first, second, created),
        ...plannedChanges(plan, created),
        ...(blocked.size > 0 ? [] : pruneFailures(pruned?.object, third, second)),
      ],
    };
  } finally {
    rmSync(project.directory, { recursive: true, force: true });
  }
}

/** Creates the namespaces and definitions that the chart expects. */
async function prepare(stdin: string, { kubeconfig, definitions }: DocumentsContext): Promise<void> {
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig })), 'default');
  const documents = documentsOf(stdin);
  try {
    for (const needed of namespacesOf(documents, namespace)) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: needed } };
      await cluster.apply({ resource: namespaces, name: needed }, object, { manager: 'test', force: true });
    }
    const own = new Set(documents.map(definedKind));
    const used = new Set(documents.map(({ apiVersion, kind }) => `${String(apiVersion).split('/')[0]}/${String(kind)}`));
    for (const definition of definitions) {
      const kind = definedKind(definition);
      if (kind === undefined || !used.has(kind) || own.has(kind)) continue;
      const { apiVersion, metadata } = definition as { apiVersion: string; metadata: { name: string } };
      const resource = await cluster.resourceOf(apiVersion, 'CustomResourceDefinition');
      await cluster.apply({ resource, name: metadata.name }, definition as never, { manager: 'test', force: true });
      await poll(`${metadata.name} is established`, async () => {
        return JSON.stringify(await cluster.get({ resource, name: metadata.name })).includes('"type":"Established"');
      });
    }
  } finally {
    cluster.close();
  }
}

/** The `group/Kind` that a CustomResourceDefinition defines. */
function definedKind({ kind, spec }: JsonObject): string | undefined {
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec) || !isJsonObject(spec.names)) return undefined;
  return `${String(spec.group)}/${String(spec.names.kind)}`;
}

/** Outcomes of an object that did not change: `applied` if a controller has written its status since, so that nothing proves it. */
const same = ['unchanged', 'applied'];

function namesOf({ objects }: Report, outcomes: readonly string[]): readonly string[] {
  return objects.filter(({ result }) => outcomes.includes(result)).map(({ object }) => object);
}

function reasonsOf({ objects }: Report, isCounted: (object: string) => boolean): Grouped {
  const reasons = new Map<string, string[]>();
  for (const { object, result, error, reason } of objects) {
    if ((result !== 'failed' && result !== 'skipped') || !isCounted(object)) continue;
    const text = firstLine(error?.message ?? reason ?? result).replaceAll(/"[^"]{0,80}"/g, '"…"');
    reasons.set(text, [...(reasons.get(text) ?? []), object]);
  }
  return reasons;
}

function failuresOf(first: Report, second: Report, created: readonly string[]): readonly string[] {
  const failures: string[] = [];
  if (first.exitCode !== 0 && first.exitCode !== 4) failures.push(`the first deploy ended with ${first.exitCode}: ${tail(first)}`);
  const accepted = first.objects.filter(({ result }) => !['created', 'failed', 'skipped'].includes(result));
  for (const { object, result } of accepted) failures.push(`the first deploy: ${result} ${object}`);
  for (const { object, result, error } of second.objects) {
    const isWebhook = /calling webhook/.test(error?.message ?? '');
    const isRefused = (result === 'failed' || result === 'skipped') && !created.includes(object);
    if (!same.includes(result) && !isRefused && !isWebhook) failures.push(`the second deploy: ${result} ${object}`);
  }
  return failures;
}

interface Removable {
  readonly object: string;
  /** The line of its document. */
  readonly line: number;
}

/** Returns an object that can be deleted without others, and that the chart does not keep. */
function removable({ objects }: Report, stdin: string): Removable | undefined {
  const simple = ['ConfigMap', 'Service', 'ServiceAccount', 'Role', 'ClusterRole'];
  const rank = ({ kind }: ObjectReport) => (simple.includes(kind) ? simple.indexOf(kind) : simple.length);
  const found = objects
    .filter(({ result, kind }) => same.includes(result) && !['Namespace', 'CustomResourceDefinition'].includes(kind))
    .filter((object) => !stdin.split('\n').slice(lineOf(object)).join('\n').split(/^---/m)[0]?.includes('helm.sh/resource-policy'))
    .sort((left, right) => rank(left) - rank(right))[0];
  return found && { object: found.object, line: lineOf(found) };
}

function lineOf({ declaredBy }: Pick<ObjectReport, 'declaredBy'>): number {
  return Number(declaredBy[0]?.source?.split(':').at(-1));
}

/** Returns the created objects that a plan would change, with the documents of the second deploy. */
function plannedChanges({ events }: RunResult, created: readonly string[]): readonly string[] {
  return eventsOf(events, 'plan')
    .filter(
      ({ object, action, error }) => created.includes(object) && action !== 'unchanged' && !/calling webhook/.test(error?.message ?? ''),
    )
    .map(({ object, action, error }) => `the plan after the second deploy: ${action} ${object} ${error?.message ?? ''}`);
}

/** Returns the stream without the documents that have content in these lines. */
function without(stdin: string, lines: readonly number[]): string {
  let end = 0;
  return stdin
    .split(/^(?=---)/m)
    .filter((document) => {
      const start = end;
      end += document.split('\n').length - 1;
      return lines.every((line) => line <= start || line > end);
    })
    .join('');
}

function pruneFailures(object: string | undefined, third: Report | undefined, second: Report): readonly string[] {
  if (object === undefined || third === undefined) return ['no object could be pruned'];
  const deleted = namesOf(third, ['deleted']);
  if (deleted.length !== 1 || deleted[0] !== object)
    return [`the third deploy deleted ${deleted.join(', ') || 'nothing'}, not ${object}: ${tail(third)}`];
  const before = namesOf(second, same).length - 1;
  const after = namesOf(third, same).length;
  return before === after ? [] : [`the third deploy left ${after} objects unchanged, not ${before}`];
}

function tail({ stderr }: Report): string {
  return stderr.trim().split('\n').slice(-3).join(' | ').slice(0, 900);
}
