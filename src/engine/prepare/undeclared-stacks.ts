import { managersOf } from '../../assembly/identity.js';
import type { Manifest } from '../../assembly/types.js';
import { metadataOf } from '../../fields/object.js';
import { type ClusterClient, isForbidden, isNotFound } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { fieldManagerOf } from '../../util/field-manager.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { configMaps, programOf } from '../inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../inventory/namespace.js';
import { isOfAnotherProgram } from '../inventory/program-id.js';
import {
  instanceLabel,
  inventoryLabel,
  labelOf,
  labelOfInstance,
  type StackIdentity,
  shardIndex,
  stackAnnotation,
} from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { RunOptions } from '../run/options.js';

/**
 * Returns a warning for the stacks of an app and instance that are in the cluster and that the program does not declare, now or under a former
 * name, and one for those of each name that the app or instance had before. Sends one request, for the metadata of their inventories. Where these
 * credentials may not list them, nothing is said.
 *
 * @param named the stacks that another warning names.
 */
export async function undeclaredStackWarnings(
  cluster: ClusterClient,
  { independent, inventoryNamespace: namespace = defaultInventoryNamespace, pruneStacks = false, takeOver }: UndeclaredStackOptions,
  manifest: Manifest,
  named: readonly string[] = [],
): Promise<readonly RunDiagnostic[]> {
  if (independent === undefined) return [];
  const { stacks } = manifest;
  const isIndependent = stacksOfOthers(independent, manifest);
  const [present, ...former] = homesOf(manifest);
  const homes = pruneStacks ? former : [present, ...former];
  if (homes.length === 0) return [];
  const labelSelector = `${instanceLabel} in (${homes.map(({ app, instance }) => labelOfInstance(app, instance)).join(',')})`;
  const found = await cluster.list(configMaps, { namespace, labelSelector, metadataOnly: true }).catch((error: unknown) => {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  });
  const declared = new Set<string>(stacks.flatMap(managersOf));
  return homes.flatMap((home) => {
    let isPrunable = home !== present;
    const names = found.flatMap((object) => {
      const stack = stackAt(home, object);
      if (stack === undefined || declared.has(fieldManagerOf({ ...home, stack })) || isIndependent(stack)) return [];
      const id = programOf(object);
      const isOurs = id !== undefined && (id === manifest.id || id === takeOver);
      if ((pruneStacks && isOurs) || isOfAnotherProgram(id, manifest, takeOver)) return [];
      isPrunable &&= isOurs;
      return home === present && named.includes(stack) ? [] : [stack];
    });
    const undeclared = [...new Set(names)].sort();
    return undeclared.length === 0 ? [] : [undeclaredStacksWarning(undeclared, home === present ? undefined : { ...home, isPrunable })];
  });
}

/**
 * Returns which undeclared stacks programs of their own declare: those that `independent` names, and all of them where it names each stack of this
 * program, which is then itself one beside the others.
 */
export function stacksOfOthers(independent: readonly string[], { stacks }: Pick<Manifest, 'stacks'>): (stack: string) => boolean {
  const isNamed = (stack: string) => independent.some((pattern) => matchesPattern(stack, pattern));
  const isBeside = stacks.length > 0 && stacks.every(({ name }) => isNamed(name));
  return (stack) => isBeside || isNamed(stack);
}

/** An app and instance whose stacks are looked for. */
type Home = Pick<Manifest, 'app' | 'instance'>;

/** Returns the app and instance of a program, then each that its stacks may have had before. */
export function homesOf({ app, instance, stacks }: Manifest): readonly [Home, ...Home[]] {
  const former = stacks.flatMap(({ formerIdentities = [] }) => formerIdentities.map((one) => ({ app: one.app, instance: one.instance })));
  const distinct = new Map([{ app, instance }, ...former].map((home) => [JSON.stringify([home.app, home.instance]), home]));
  return [...distinct.values()] as unknown as readonly [Home, ...Home[]];
}

/** Returns the error for a command on a stack that left the program together with the name of its app or instance. */
export function formerNameError({ app, instance, stack }: Pick<StackIdentity, 'app' | 'instance' | 'stack'>): FieldwiseError {
  return new FieldwiseError(
    'stack-unknown',
    'usage',
    `The program declares no stack ${stack}, and the one in the cluster is under a former name of the program: app ${app}, instance ${instance}`,
    {
      next: `Declare it once more and deploy: it comes under the new name. \`fieldwise history ${app}/${instance}/${stack}\` shows its revisions.`,
    },
  );
}

/**
 * Returns the name of the stack of an app and instance whose inventory an object is. Anybody who may create ConfigMaps may give one these labels,
 * so the name must match, too.
 */
function stackAt(home: Home, object: JsonObject): string | undefined {
  const { name, labels, annotations } = metadataOf(object);
  const stack = isJsonObject(annotations) ? annotations[stackAnnotation] : undefined;
  const label = isJsonObject(labels) ? labels[inventoryLabel] : undefined;
  if (typeof stack !== 'string') return undefined;
  const identity = { ...home, stack, manager: fieldManagerOf({ ...home, stack }) };
  return label === labelOf(identity.manager) && shardIndex(identity, String(name)) !== undefined ? stack : undefined;
}

/** The options by which a run says which stacks the program does not declare. */
export type UndeclaredStackOptions = Pick<RunOptions, 'independent' | 'inventoryNamespace' | 'pruneStacks' | 'takeOver'>;

const maxNames = 5;

/** @param former the app and instance under which they are, if that is not the present one, and whether `--prune-stacks` removes them. */
function undeclaredStacksWarning(names: readonly string[], former: (Home & { readonly isPrunable: boolean }) | undefined): RunDiagnostic {
  const shown = names.slice(0, maxNames).join(', ') + (names.length > maxNames ? ` and ${names.length - maxNames} more` : '');
  const isOne = names.length === 1;
  const of = former === undefined ? '' : ` of app ${former.app}, instance ${former.instance},`;
  const independent = `If another program declares ${isOne ? 'it' : 'one of them'}, add its name to \`independent\` in fieldwise.yaml.`;
  const ways =
    former === undefined
      ? `\`fieldwise destroy ${names[0]}\` destroys ${isOne ? 'it' : 'one'}, and \`fieldwise deploy --prune-stacks\` every stack that the program does not declare.`
      : `The program had this name before. ${
          former.isPrunable
            ? `\`fieldwise deploy --prune-stacks\` destroys ${isOne ? 'it' : 'them'}.`
            : `Declare ${isOne ? 'the stack' : 'the stacks'} once more and deploy: ${isOne ? 'it comes' : 'they come'} under the new name, and can be destroyed or pruned.`
        }`;
  return {
    event: 'warning',
    code: 'stack-undeclared',
    message: `${isOne ? 'Stack' : 'Stacks'} ${shown}${of} ${isOne ? 'is' : 'are'} in the cluster and not in the program`,
    next: `${ways} ${independent}`,
  };
}

/** Returns true if a name fits a pattern, in which `*` stands for any text. */
function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
