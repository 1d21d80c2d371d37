import { ApiObject, type Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { AppRoot } from '../../app/app-root.js';
import { constructPathOf } from '../../app/app-root.js';
import { DocumentObject } from '../../app/document-object.js';
import { Intent } from '../../app/intent.js';
import type { Policy } from '../../app/settings/policy.js';
import type { PartialObject } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import type { RootType } from '../../schema/model.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import { partialObjectOf } from '../merge/partial-object.js';
import { apiObjectJson } from './api-object-json.js';
import type { ConstructTree } from './construct-tree.js';
import { documentDefaults, withDocumentAnnotations } from './document-annotations.js';
import { type ObjectOptionsContext, withObjectOptions } from './object-options.js';
import { hasUndefinedMember, plainOf } from './plain.js';

/** One declaration, with its validated object. */
export interface Declared {
  readonly construct: IConstruct;
  /** Path and source for errors and the manifest. */
  readonly location: { readonly construct: string; readonly source?: string };
  readonly lifecycle: Lifecycle;
  readonly policy: Policy | undefined;
  readonly object: PartialObject;
  /** The literal as the program wrote it; present only if a member of it is undefined, which `object` does not have. */
  readonly written?: JsonObject;
  /** The type of the object; known only of builders. */
  readonly root: RootType | undefined;
  /** True for objects that the program did not write: those of cdk8s constructs, included YAML and documents. */
  readonly byOthers: boolean;
}

/** A chart of the app and its declarations, in program order. */
export interface DeclaredStack {
  readonly chart: Chart;
  /** Path below the app. */
  readonly name: string;
  readonly declared: readonly Declared[];
}

/** Returns all charts of an app in program order, and reports invalid declarations to `collector`. */
export function declaredStacks(app: AppRoot, tree: ConstructTree, collector: DiagnosticCollector): readonly DeclaredStack[] {
  const jsonOf = apiObjectJson(app);
  const prefix = app.name ? `${app.name}/` : '';
  const stacks = tree.charts.map((position) => {
    const chart = tree.constructs[position] as Chart;
    return { chart, name: chart.node.path, declared: [] as Declared[] };
  });
  for (const [position, construct] of tree.constructs.entries()) {
    for (const issue of construct.node.validate()) {
      collector.add(new FieldwiseError('construct-invalid', 'usage', issue, { location: { construct: constructPathOf(construct) } }));
    }
    const stack = stacks[tree.chartIndexes[position] as number];
    if (!stack || !isDeclaration(construct)) continue;
    const declared = collector.attempt(() => declaredIn(construct, stack.chart, `${prefix}${construct.node.path}`, app, jsonOf));
    if (declared) stack.declared.push(declared);
  }
  return stacks;
}

type Declaration = Intent | ApiObject | DocumentObject;

function isDeclaration(construct: IConstruct): construct is Declaration {
  return Intent.isIntent(construct) || ApiObject.isApiObject(construct) || DocumentObject.isDocumentObject(construct);
}

function declaredIn(
  construct: Declaration,
  chart: Chart,
  path: string,
  app: AppRoot,
  jsonOf: (object: ApiObject) => JsonObject | undefined,
): Declared {
  const isIntent = Intent.isIntent(construct);
  const isDocument = DocumentObject.isDocumentObject(construct);
  const source = isIntent || isDocument ? construct.source : undefined;
  const location = { construct: path, ...(source === undefined ? {} : { source }) };
  const lifecycle = isIntent ? construct.lifecycle : undefined;
  const root = isIntent ? rootOf(construct, location) : undefined;
  const content = isIntent || isDocument ? contentOf(construct, location) : manifestOf(construct, location, jsonOf);
  const literal = isIntent && !root ? construct.content() : content;
  const hasUndefined = literal !== content && hasUndefinedMember(literal);
  const object = partialObjectOf(content, {
    location,
    root,
    namespace: chart.namespace ?? app.defaultNamespace,
    labels: lifecycle === 'own' ? chart.labels : {},
    generated: !isIntent,
  });
  const annotated = isDocument ? withDocumentAnnotations(object, location) : object;
  const options = withObjectOptions(annotated, { ...declaredOptions(construct), location });
  // cdk8s has added the labels of the chart, which are only for objects that the stack owns.
  const shared = !isIntent && options.lifecycle === 'share';
  const sent = shared ? withoutLabels(options.object, chart.labels) : options.object;
  const { policy } = options;
  const declared = { construct, location, lifecycle: options.lifecycle, policy, object: sent, root, byOthers: !isIntent };
  return hasUndefined ? { ...declared, written: literal as JsonObject } : declared;
}

/** Returns the lifecycle and policy outside of the annotation. */
function declaredOptions(construct: Declaration): Pick<ObjectOptionsContext, 'lifecycle' | 'policy' | 'defaults'> {
  if (Intent.isIntent(construct)) return { lifecycle: construct.lifecycle, policy: construct.policy };
  return DocumentObject.isDocumentObject(construct) ? { defaults: documentDefaults(construct) } : {};
}

function withoutLabels(object: PartialObject, chartLabels: Readonly<Record<string, string>>): PartialObject {
  const { labels, ...metadata } = object.metadata;
  if (!isJsonObject(labels)) return object;
  const own = Object.entries(labels).filter(([name, value]) => chartLabels[name] !== value);
  return { ...object, metadata: own.length > 0 ? { ...metadata, labels: Object.fromEntries(own) } : metadata } as PartialObject;
}

function rootOf({ builderType }: Intent, location: ErrorLocation): RootType | undefined {
  if (!builderType) return undefined;
  const { root } = builderType;
  if (!root) {
    throw new FieldwiseError('intent-invalid', 'usage', 'The intent is a builder of only a part of an object', {
      location,
      next: 'Pass it to the builder of the whole object, such as `deployment(name).withSpec(…)`.',
    });
  }
  if (root.subresource === undefined) return root;
  throw new FieldwiseError(
    'intent-invalid',
    'usage',
    `The intent writes the ${root.subresource} of a ${root.kind}, which a stack cannot do`,
    {
      location,
      next: 'Declare the object itself; its controller writes the status.',
    },
  );
}

function contentOf(intent: Intent | DocumentObject, location: ErrorLocation): unknown {
  if (DocumentObject.isDocumentObject(intent)) return plainOf(intent.object, location, { exactNumbers: true });
  const content = intent.content();
  return intent.builderType ? content : plainOf(content, location);
}

function manifestOf(object: ApiObject, location: ErrorLocation, jsonOf: (object: ApiObject) => JsonObject | undefined): unknown {
  try {
    return jsonOf(object) ?? plainOf(object.toJson(), location);
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    throw new FieldwiseError('construct-invalid', 'usage', (cause as Error).message, { location, cause });
  }
}
