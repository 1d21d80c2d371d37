import type { FieldPath } from '../../fields/index.js';
import { type VersionedKind, versionedKind } from '../../merge/index.js';
import { type RootType, rootTypes, type Table } from '../../schema/index.js';
import { type Conversion, conversionOf } from '../built-in/convert/conversions.js';
import { BuiltInStrategy } from '../built-in/strategy/built-in-strategy.js';
import { selectableFieldsOf } from '../built-in/strategy/selectable-fields.js';
import { allVerbs, type Resource, type ScalePaths, type ServedVersion } from '../registry/resource.js';
import { type ResourceInfo, resourceInfo } from '../registry/resource-info.js';

/** Loads the tables of every built-in group, the preferred version of a group first. */
async function tables(): Promise<readonly Table[]> {
  // First one, then the others: the module loader of jest cannot link modules at once that share one which is not linked yet.
  const core = await import('../../../generated/core/v1.js');
  const modules = await Promise.all([
    core,
    import('../../../generated/apps/v1.js'),
    import('../../../generated/rbac/v1.js'),
    import('../../../generated/batch/v1.js'),
    import('../../../generated/networking/v1.js'),
    import('../../../generated/autoscaling/v2.js'),
    import('../../../generated/autoscaling/v1.js'),
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

/** Resources that share the store of another: the same objects in another group. */
const sharedStores: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' };

/** Returns every resource of the built-in API, created from the generated tables. */
export async function builtInResources(): Promise<readonly Resource[]> {
  const roots = (await tables())
    .flatMap((table) => rootTypes(table))
    .filter((root) => root.subresource === undefined && root.resource !== undefined);
  // By store: the versions of a kind, the storage version first, each once.
  const stores = new Map<string, Map<string, RootType>>();
  for (const root of roots) {
    const name = nameOf(root);
    const versions = stores.get(sharedStores[name] ?? name) ?? new Map<string, RootType>();
    stores.set(sharedStores[name] ?? name, versions);
    if (!versions.has(root.apiVersion)) versions.set(root.apiVersion, root);
  }
  return [...stores.values()].flatMap(resourcesOf);
}

function nameOf(root: RootType): string {
  return `${groupOf(root.apiVersion)}/${root.resource}`;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Returns the resources of one kind: one, unless several groups have it. */
function resourcesOf(roots: ReadonlyMap<string, RootType>): readonly Resource[] {
  const convert = conversionOf(roots);
  const first = [...roots.values()][0] as RootType;
  const strategy = new BuiltInStrategy(roots, resourceInfo(nameOf(first)), convert);
  const groups = grouped([...roots.values()]);
  return [...groups].map(([group, members]) => {
    const [root] = members as [RootType];
    const info = resourceInfo(nameOf(root));
    return {
      group,
      plural: root.resource as string,
      singular: info.singular ?? root.kind.toLowerCase(),
      kind: root.kind,
      listKind: `${root.kind}List`,
      shortNames: info.shortNames ?? [],
      categories: info.categories ?? [],
      namespaced: root.scope === 'Namespaced',
      versions: new Map(members.map((member) => [versionName(member), servedVersion(member, info)])),
      storage: first.apiVersion,
      ...(root.apiVersion === first.apiVersion ? {} : { sharedStore: nameOf(first) }),
      types: versionedTypes(members, convert),
      verbs: info.verbs ?? allVerbs,
      strategy,
    };
  });
}

/** Returns the versions of one group, with their conversion: entries of managedFields in another group's version are dropped, as there. */
function versionedTypes(roots: readonly RootType[], convert: Conversion | undefined): VersionedKind {
  const types = versionedKind(...roots);
  if (convert === undefined) return types;
  return { ...types, convert: (object, apiVersion) => (types.versions.has(apiVersion) ? convert(object, apiVersion) : undefined) };
}

function grouped(roots: readonly RootType[]): ReadonlyMap<string, readonly RootType[]> {
  const names = [...new Set(roots.map(({ apiVersion }) => groupOf(apiVersion)))];
  return new Map(names.map((name) => [name, roots.filter(({ apiVersion }) => groupOf(apiVersion) === name)]));
}

function versionName({ apiVersion }: RootType): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

function servedVersion(root: RootType, info: ResourceInfo): ServedVersion {
  return {
    name: versionName(root),
    apiVersion: root.apiVersion,
    status: root.subresources?.includes('status') === true,
    scale: info.scale ? scalePaths : undefined,
    parts: Object.fromEntries(Object.entries(info.parts ?? {}).map(([name, { verbs }]) => [name, verbs])),
    ...(info.deprecated === undefined ? {} : { deprecated: info.deprecated }),
    selectable: selectableFieldsOf(`${root.apiVersion}/${root.resource as string}`),
  };
}
