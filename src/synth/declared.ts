import { ApiObject, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { AppRoot } from '../app/app-root.js';
import { constructPathOf } from '../app/app-root.js';
import { Intent, type Lifecycle } from '../app/intent.js';
import type { Policy } from '../app/policy.js';
import type { PartialObject } from '../assembly/index.js';
import type { RootType } from '../schema/model.js';
import { type ErrorPlace, FieldwiseError } from '../util/error.js';
import { partialObjectOf } from './partial-object.js';
import { plainOf } from './plain.js';
import type { Problems } from './problems.js';

/** One declaration, built and checked. */
export interface Declared {
  readonly construct: IConstruct;
  /** Path and source for errors and the manifest. */
  readonly place: { readonly construct: string; readonly source?: string };
  readonly lifecycle: Lifecycle;
  readonly policy: Policy | undefined;
  readonly object: PartialObject;
  /** Known for builders only. */
  readonly root: RootType | undefined;
}

/** A chart of the app and what is declared in it, in program order. */
export interface DeclaredStack {
  readonly chart: Chart;
  /** Path below the app. */
  readonly name: string;
  readonly declared: readonly Declared[];
}

/** All charts of an app in program order; what cannot be sent is told to `problems`. */
export function declaredStacks(app: AppRoot, problems: Problems): readonly DeclaredStack[] {
  const stacks = new Map<IConstruct, { chart: Chart; name: string; declared: Declared[] }>();
  for (const construct of app.node.findAll()) {
    for (const trouble of construct.node.validate()) {
      problems.add(new FieldwiseError('construct-invalid', 'usage', trouble, { place: { construct: constructPathOf(construct) } }));
    }
    if (Chart.isChart(construct)) stacks.set(construct, { chart: construct, name: construct.node.path, declared: [] });
    const declared = problems.attempt(() => declaredIn(construct, app));
    if (declared) stacks.get(Chart.of(construct))?.declared.push(declared);
  }
  return [...stacks.values()];
}

function declaredIn(construct: IConstruct, app: AppRoot): Declared | undefined {
  const isIntent = Intent.isIntent(construct);
  if (!isIntent && !ApiObject.isApiObject(construct)) return undefined;
  const source = isIntent ? construct.source : undefined;
  const place = { construct: constructPathOf(construct), ...(source === undefined ? {} : { source }) };
  const lifecycle = isIntent ? construct.lifecycle : 'own';
  const chart = Chart.of(construct);
  const root = isIntent ? rootOf(construct, place) : undefined;
  const object = partialObjectOf(isIntent ? contentOf(construct, place) : manifestOf(construct as ApiObject, place), {
    place,
    root,
    namespace: chart.namespace ?? app.defaultNamespace,
    labels: isIntent && lifecycle === 'own' ? chart.labels : {},
    generated: !isIntent,
  });
  return { construct, place, lifecycle, policy: isIntent ? construct.policy : undefined, object, root };
}

function rootOf({ builderType }: Intent, place: ErrorPlace): RootType | undefined {
  if (!builderType) return undefined;
  const { root } = builderType;
  if (!root) {
    throw new FieldwiseError('intent-invalid', 'usage', 'The intent is a builder of a part of an object', {
      place,
      next: 'Give it to the builder of the whole object, such as `deployment(name).withSpec(…)`.',
    });
  }
  if (root.subresource === undefined) return root;
  throw new FieldwiseError('intent-invalid', 'usage', `The intent writes the ${root.subresource} of a ${root.kind}, which a stack cannot`, {
    place,
    next: 'Status belongs to the controller of the object; declare the object itself.',
  });
}

function contentOf(intent: Intent, place: ErrorPlace): unknown {
  const content = intent.content();
  return intent.builderType ? content : plainOf(content, place);
}

function manifestOf(object: ApiObject, place: ErrorPlace): unknown {
  try {
    return plainOf(object.toJson(), place);
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    throw new FieldwiseError('construct-invalid', 'usage', (cause as Error).message, { place, cause });
  }
}
