import type { FieldPath } from '../../fields/index.js';
import { versionedKind } from '../../merge/index.js';
import { type RootType, rootTypes, type Table } from '../../schema/index.js';
import { BuiltInStrategy } from '../built-in/strategy/built-in-strategy.js';
import { resourceInfo } from '../built-in/strategy/resource-info.js';
import { selectableFieldsOf } from '../built-in/strategy/selectable-fields.js';
import { allVerbs, type Resource, type ScalePaths, storeName } from './resource.js';

/** Loads the tables of every built-in group, in its preferred version. */
async function tables(): Promise<readonly Table[]> {
  const modules = await Promise.all([
    import('../../../generated/core/v1.js'),
    import('../../../generated/apps/v1.js'),
    import('../../../generated/rbac/v1.js'),
    import('../../../generated/batch/v1.js'),
    import('../../../generated/networking/v1.js'),
    import('../../../generated/autoscaling/v2.js'),
    import('../../../generated/policy/v1.js'),
    import('../../../generated/apiextensions/v1.js'),
    import('../../../generated/admissionregistration/v1.js'),
    import('../../../generated/apiregistration/v1.js'),
    import('../../../generated/certificates/v1.js'),
    import('../../../generated/coordination/v1.js'),
    import('../../../generated/discovery/v1.js'),
    import('../../../generated/events/v1.js'),
    import('../../../generated/flowcontrol/v1.js'),
    import('../../../generated/node/v1.js'),
    import('../../../generated/resource/v1.js'),
    import('../../../generated/scheduling/v1.js'),
    import('../../../generated/storage/v1.js'),
  ]);
  return modules.map(({ $table }) => $table);
}

const field = (name: string) => ({ kind: 'field', name }) as const;
const path = (...names: string[]): FieldPath => names.map(field);

const scalePaths: ScalePaths = {
  replicas: path('spec', 'replicas'),
  statusReplicas: path('status', 'replicas'),
  selector: undefined,
};

/** Returns every resource of the built-in API, created from the generated tables. */
export async function builtInResources(): Promise<readonly Resource[]> {
  const seen = new Set<string>();
  return (await tables())
    .flatMap((table) => rootTypes(table))
    .filter((root) => root.subresource === undefined && root.resource !== undefined)
    .map(builtInResource)
    .filter((resource) => {
      const name = storeName(resource);
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    });
}

function builtInResource(root: RootType): Resource {
  const slash = root.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : root.apiVersion.slice(0, slash);
  const version = root.apiVersion.slice(slash + 1);
  const plural = root.resource as string;
  const info = resourceInfo(`${group}/${plural}`);
  const served = {
    name: version,
    apiVersion: root.apiVersion,
    status: root.subresources?.includes('status') === true,
    scale: info.scale ? scalePaths : undefined,
    selectable: selectableFieldsOf(`${root.apiVersion}/${plural}`),
  };
  return {
    group,
    plural,
    singular: info.singular ?? root.kind.toLowerCase(),
    kind: root.kind,
    listKind: `${root.kind}List`,
    shortNames: info.shortNames ?? [],
    categories: info.categories ?? [],
    namespaced: root.scope === 'Namespaced',
    versions: new Map([[version, served]]),
    storage: root.apiVersion,
    types: versionedKind(root),
    verbs: allVerbs,
    strategy: new BuiltInStrategy(new Map([[root.apiVersion, root]]), info),
  };
}
