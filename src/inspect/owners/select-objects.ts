import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Inventory } from '../../engine/inventory/inventory-store.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { type ClusterClient, type Resource, type ServedResources, type UnavailableApi, unavailableApi } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** A selection of objects: those of stacks, by their inventories, and objects by name. */
export interface ObjectSelection {
  /** Stacks (`gateway`, or `app/instance/gateway`) and objects (`deployment/web`); all stacks if `names` and `objects` are empty. */
  readonly names: readonly string[];
  readonly objects?: readonly ObjectIdentity[];
}

/** The app and instance whose stacks can be named without them. */
export interface StackScope {
  readonly app?: string | undefined;
  readonly instance?: string | undefined;
}

/**
 * Returns the inventory of the stack that a word names: one of the app and instance of the scope if there is one, else any.
 *
 * @throws FieldwiseError `stack-not-in-cluster`, `stack-ambiguous`.
 */
export function stackNamed(word: string, inventories: readonly Inventory[], { app, instance }: StackScope): Inventory {
  const matching = inventories.filter(({ stack }) => stack.stack === word || fullName(stack) === word);
  const inScope = matching.filter(({ stack }) => stack.app === app && (instance === undefined || stack.instance === instance));
  const found = inScope.length > 0 ? inScope : matching;
  if (found.length === 1) return found[0] as Inventory;
  const known = (found.length > 0 ? found : inventories).map(({ stack }) => fullName(stack)).join(', ') || 'none';
  if (found.length > 1) {
    throw new FieldwiseError('stack-ambiguous', 'usage', `Several stacks have the name ${word}`, { next: `Name one of: ${known}.` });
  }
  throw new FieldwiseError('stack-not-in-cluster', 'usage', `No stack ${word} has an inventory in the cluster`, {
    next: `Stacks with an inventory: ${known}. Name an object by kind and name, such as deployment/web.`,
  });
}

/**
 * Returns the inventories of the app and instance of a scope; all if it has no app.
 *
 * @throws FieldwiseError `stack-not-in-cluster` if the scope has an app, and none is of it.
 */
export function stacksInScope(inventories: readonly Inventory[], { app, instance }: StackScope): readonly Inventory[] {
  if (app === undefined) return inventories;
  const found = inventories.filter(({ stack }) => stack.app === app && (instance === undefined || stack.instance === instance));
  if (found.length > 0) return found;
  const whole = instance === undefined ? `app ${app}` : `app ${app}, instance ${instance},`;
  const known = inventories.map(({ stack }) => fullName(stack)).join(', ');
  throw new FieldwiseError(
    'stack-not-in-cluster',
    'usage',
    `No stack of ${whole} has an inventory in the cluster, so nothing was looked at`,
    {
      next: known
        ? `Stacks with an inventory: ${known}. Name one of them, or have the name that the program gives its app as \`name\` in fieldwise.yaml.`
        : 'Deploy first: no stack of any app has one.',
    },
  );
}

/**
 * Returns the objects of a selection; an object of several stacks occurs more than once.
 *
 * @param warn receives warnings about API groups that do not answer and may serve kinds with the selected names.
 * @throws FieldwiseError as `stackNamed` and `stacksInScope`; `kind-unknown`, `kind-ambiguous`, `api-unavailable`.
 */
export async function selectObjects(
  cluster: ClusterClient,
  inventories: readonly Inventory[],
  { names, objects = [] }: ObjectSelection,
  from: StackScope,
  warn: (warning: RunDiagnostic) => void,
): Promise<readonly ObjectIdentity[]> {
  const named: ObjectIdentity[] = [];
  const stacks: Inventory[] = [];
  const silent = new Map<string, UnavailableApi>();
  let served: ServedResources | undefined;
  for (const word of names) {
    const slash = word.indexOf('/');
    if (slash > 0 && slash === word.lastIndexOf('/')) {
      served ??= await cluster.listResources();
      const [kind, name] = [word.slice(0, slash), word.slice(slash + 1)];
      for (const api of unavailableFor(kind, served)) silent.set(api.apiVersion, api);
      named.push(objectNamed(cluster, served, kind, name));
    } else stacks.push(stackNamed(word, inventories, from));
  }
  if (names.length === 0 && objects.length === 0) {
    stacks.push(...stacksInScope(inventories, { app: from.app }));
  }
  for (const api of silent.values()) warn(unavailableDiagnostic(api));
  return [...stacks.flatMap(({ entries }) => [...entries.values()]), ...named, ...objects];
}

/**
 * Resolves `deployment/web`, `Deployment/web`, `deployments.apps/web` or `deploy/web`. The name of a kind takes precedence over a short
 * name of another kind, as in kubectl.
 *
 * @throws FieldwiseError `kind-unknown`, `kind-ambiguous`, `api-unavailable`.
 */
export function objectNamed(cluster: ClusterClient, served: ServedResources, kind: string, name: string): ObjectIdentity {
  const wanted = kind.toLowerCase();
  const named = served.resources.filter((resource) => namesOf(resource).includes(wanted));
  const fits = named.length > 0 ? named : served.resources.filter((resource) => otherNamesOf(resource).includes(wanted));
  const core = fits.find(({ apiVersion }) => apiVersion === 'v1');
  const found = core ?? fits[0];
  if (!found) {
    const [silent] = unavailableFor(kind, served);
    if (silent) throw unavailableApi(cluster.server, silent);
    throw new FieldwiseError('kind-unknown', 'usage', `The server serves no kind ${kind}`, {
      location: { object: `${kind}/${name}` },
      next: 'Name it by kind, plural or short name, with the API group if several groups have it, such as deployment/web, deploy/web or deployments.apps/web; `kubectl api-resources` lists them.',
    });
  }
  if (!core && fits.length > 1) {
    throw new FieldwiseError('kind-ambiguous', 'usage', `Several API groups serve a kind ${kind}`, {
      location: { object: objectText({ ...found, name }) },
      next: `Name one of: ${fits.map(({ plural, apiVersion }) => `${plural}.${groupText(apiVersion)}/${name}`).join(', ')}.`,
    });
  }
  return { apiVersion: found.apiVersion, kind: found.kind, ...(found.namespaced ? { namespace: cluster.defaultNamespace } : {}), name };
}

/** Returns the groups that do not answer and may serve a kind of this name; for `things.example.com`, only that group. */
function unavailableFor(kind: string, { unavailable }: ServedResources): readonly UnavailableApi[] {
  const dot = kind.indexOf('.');
  return dot < 0 ? unavailable : unavailable.filter(({ apiVersion }) => groupText(apiVersion) === kind.slice(dot + 1).toLowerCase());
}

function unavailableDiagnostic({ apiVersion, reason }: UnavailableApi): RunDiagnostic {
  const message = `The API ${apiVersion} does not answer, so its kinds are unknown: ${reason.trim()}`;
  return { event: 'warning', code: 'api-unavailable', message };
}

function namesOf({ apiVersion, kind, plural }: Resource): readonly string[] {
  return withGroup(apiVersion, [kind.toLowerCase(), plural]);
}

function otherNamesOf({ apiVersion, otherNames = [] }: Resource): readonly string[] {
  return withGroup(apiVersion, otherNames);
}

function withGroup(apiVersion: string, names: readonly string[]): readonly string[] {
  return [...names, ...names.map((word) => `${word}.${groupText(apiVersion)}`)];
}

function groupText(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : 'core';
}

function fullName({ app, instance, stack }: Inventory['stack']): string {
  return `${app}/${instance}/${stack}`;
}
