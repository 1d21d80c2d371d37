import { ApiObject, Chart } from 'cdk8s';
import { AppRoot } from '../../app/app-root.js';
import { type RegisteredRoot, registeredRoots } from '../../app/registered-apps.js';
import { objectText } from '../../assembly/index.js';
import { constructTree } from '../declared/construct-tree.js';
import { type LintDiagnostic, namesOf } from './lint-diagnostic.js';

/**
 * Warns of objects of the program that are below another root than an App of Fieldwise, such as an App of cdk8s that somebody forgot to
 * replace: one warning for each root. Roots are known only while the command line runs a program.
 */
export function objectsOutsideApp(app: AppRoot): readonly LintDiagnostic[] {
  return registeredRoots().flatMap((root) => {
    if (AppRoot.isApp(root.construct)) return [];
    const { constructs, charts } = constructTree(root.construct);
    const objects = constructs.filter(ApiObject.isApiObject);
    if (objects.length === 0) return [];
    const withObjects = new Set(objects.map(({ chart }) => chart));
    const used = charts.map((position) => constructs[position] as Chart).filter((chart) => withObjects.has(chart));
    return [outside(root, objects, used, app)];
  });
}

function outside(
  { construct, source }: RegisteredRoot,
  objects: readonly ApiObject[],
  charts: readonly Chart[],
  app: AppRoot,
): LintDiagnostic {
  const paths = charts.map(({ node }) => JSON.stringify(node.path));
  const isChart = Chart.isChart(construct);
  const place = isChart ? 'a chart without an App' : `the App of cdk8s, in the ${paths.length > 1 ? 'charts' : 'chart'} ${listed(paths)}`;
  const next = isChart ? 'Create it' : `Create the ${paths.length > 1 ? 'charts' : 'chart'}`;
  const message = `${listed(objects.map(apiObjectText))} ${objects.length > 1 ? 'are' : 'is'} in ${place}, which nobody deploys. ${next} below the App of Fieldwise, as \`new Chart(app, …)\`.`;
  return { diagnostic: { code: 'objects-outside-app', message, ...(source === undefined ? {} : { source }) }, constructs: [app] };
}

function apiObjectText({ apiVersion, kind, name, metadata: { namespace } }: ApiObject): string {
  return objectText({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? (names[0] as string) : namesOf(names);
}
