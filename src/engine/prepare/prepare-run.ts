import type { Assembly, PartialObject, StackManifest } from '../../assembly/types.js';
import { isSecret } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { withClientSideApply } from '../client-side-apply/with-client-side-apply.js';
import { intentStepsOf, type Step } from '../graph/waves.js';
import { DigestKeys } from '../inventory/digest-keys.js';
import { editedWarnings } from '../inventory/edited-inventory.js';
import { findInventory, type StackInventories, storedInventories } from '../inventory/former-inventories.js';
import { type Inventory, InventoryStore, type StackIdentity } from '../inventory/inventory-store.js';
import { OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import { requireSameProgram, takenNameWarning, unknownProgramWarning, unusedTakeOverWarning } from '../inventory/program-id.js';
import { type RunDiagnostic, warnOnce } from '../report/run-diagnostic.js';
import type { RunOptions } from '../run/options.js';
import { readableValues, type UnreadFieldsByIntent } from '../secrets/keep-unread-values.js';
import { resolveReferences } from '../secrets/references.js';
import { SecretMasker, withSecretMasking } from '../secrets/secret-masker.js';
import { keepValuesOfSnapshot } from '../secrets/without-values.js';
import { effectiveSteps } from './effective-strategy.js';
import { selectStacks } from './select-stacks.js';

/** The options that decide what a run works on. */
export type PrepareOptions = Pick<RunOptions, 'stacks' | 'references' | 'inventoryNamespace' | 'strategy'>;

/** The cluster as a run sees it. */
export interface RunConnection {
  /** Masks the values of Secrets that the run has met. */
  readonly secrets: SecretMasker;
  /** Reports each warning once. */
  readonly onWarning: (warning: RunDiagnostic) => void;
  readonly keys: DigestKeys;
  /** Merges client-side where an apply asks for it; the Secrets in its responses become known to `secrets`. */
  readonly cluster: ClusterClient;
}

/** A run before its first request: everything that every verb needs of an assembly and a cluster. */
export interface PreparedRun extends RunConnection {
  /** With the referenced values of the Secrets of the chosen stacks. Nothing that is printed or written may come from it unmasked. */
  readonly assembly: Assembly;
  /** The chosen stacks, in deploy order. */
  readonly stacks: readonly StackManifest[];
  /** The intents of the chosen stacks as the program declares them; see `readSteps`. */
  readonly declared: readonly Step[];
  readonly names: OwnerNameResolver;
  /** The fields whose values could not be read, by `intentKey`; only in a run that sends nothing. */
  readonly unread?: UnreadFieldsByIntent;
}

/** Opens a cluster for a run. Sends nothing. */
export function connectRun(
  server: ClusterClient,
  secrets: SecretMasker,
  { inventoryNamespace }: Pick<RunOptions, 'inventoryNamespace'>,
  host: (warning: RunDiagnostic) => void,
): RunConnection {
  const onWarning = warnOnce((warning) => host(secrets.maskWarning(warning)));
  const masked = withSecretMasking(server, secrets);
  const keys = new DigestKeys(masked, inventoryNamespace, onWarning);
  return { secrets, onWarning, keys, cluster: withSecretMasking(withClientSideApply(masked, keys), secrets) };
}

/**
 * Prepares a run: selects the stacks, resolves their references, and masks the values of Secrets. Sends nothing.
 *
 * @param host receives warnings, each once.
 * @throws FieldwiseError `stack-unknown`, `reference-missing` (usage).
 */
export function prepareRun(
  unresolvedAssembly: Assembly,
  server: ClusterClient,
  options: PrepareOptions,
  host: (warning: RunDiagnostic) => void = () => {},
): PreparedRun {
  const assembly = resolveReferences(unresolvedAssembly, selectStacks(unresolvedAssembly, options.stacks), options.references);
  return prepareResolvedRun(assembly, server, options, host);
}

/**
 * Prepares a run that sends nothing: values that cannot be read are as they are in the cluster, and a warning names each. Reads the Secrets
 * that have such values.
 *
 * @throws FieldwiseError `stack-unknown` (usage), and if the cluster cannot be reached.
 */
export async function prepareReadingRun(
  unresolvedAssembly: Assembly,
  server: ClusterClient,
  options: PrepareOptions & { readonly isSnapshot?: boolean },
  host: (warning: RunDiagnostic) => void = () => {},
): Promise<PreparedRun> {
  const stacks = selectStacks(unresolvedAssembly, options.stacks);
  const { assembly, unread, warnings } = options.isSnapshot
    ? await keepValuesOfSnapshot(unresolvedAssembly, stacks, server)
    : await readableValues(unresolvedAssembly, stacks, server, options.references);
  for (const warning of warnings) host(warning);
  return { ...prepareResolvedRun(assembly, server, options, host), unread };
}

/** Prepares a run of an assembly whose references are resolved, or are not needed. */
export function prepareResolvedRun(
  assembly: Assembly,
  server: ClusterClient,
  options: PrepareOptions,
  host: (warning: RunDiagnostic) => void = () => {},
): PreparedRun {
  const stacks = selectStacks(assembly, options.stacks);
  return Object.freeze({
    ...connectRun(server, new SecretMasker(secretsOf(assembly)), options, host),
    assembly,
    stacks,
    declared: intentStepsOf(assembly, stacks),
    names: OwnerNameResolver.of(assembly.manifest),
  });
}

function secretsOf({ manifest, objects }: Assembly): readonly PartialObject[] {
  return manifest.stacks.flatMap(({ intents }, stack) =>
    intents.flatMap((intent, index) => (isSecret(intent) ? [objects[stack]?.[index] as PartialObject] : [])),
  );
}

/** Returns the name under which a stack of an assembly is locked and recorded. */
export function stackIdentityOf({ manifest: { app, instance } }: Assembly, { name, manager }: StackManifest): StackIdentity {
  return { app, instance, stack: name, manager };
}

/** Asks for discovery: returns the steps of a run in their scopes, with the strategy in force. */
export function readSteps(
  { cluster, declared }: Pick<PreparedRun, 'cluster' | 'declared'>,
  options: Pick<RunOptions, 'strategy'>,
  onWarning: (warning: RunDiagnostic) => void = () => {},
): Promise<readonly Step[]> {
  return effectiveSteps(cluster, declared, options, onWarning);
}

/**
 * Reads the inventories of the chosen stacks, in the order of the stacks.
 *
 * @param onWarning receives a warning for stacks of which nothing shows by which program they are deployed, for a program to take over that has none,
 * and for inventories that others have edited.
 * @param undeclared the inventories of the other stacks of the run.
 * @throws FieldwiseError `stack-of-another-program` (usage), unless it is one to take over.
 */
export async function readInventories(
  { assembly, stacks }: Pick<PreparedRun, 'assembly' | 'stacks'>,
  store: InventoryStore,
  { takeOver }: Pick<RunOptions, 'takeOver'> = {},
  onWarning: (warning: RunDiagnostic) => void = () => {},
  undeclared: readonly Inventory[] = [],
): Promise<readonly StackInventories[]> {
  const found = await Promise.all(stacks.map((stack) => findInventory(store, stackIdentityOf(assembly, stack), stack, takeOver)));
  for (const { current, former } of found) requireSameProgram(current.stack, [current, ...former], assembly.manifest, takeOver);
  const present = found.map(({ current }) => current);
  const all = [...present, ...found.flatMap(({ former }) => former), ...undeclared];
  for (const warning of [unknownProgramWarning(present, assembly.manifest), unusedTakeOverWarning(all, assembly.manifest, takeOver)])
    if (warning) onWarning(warning);
  for (const { current: own, taken } of found) for (const other of taken) onWarning(takenNameWarning(own.stack, other));
  for (const warning of editedWarnings(storedInventories(found))) onWarning(warning);
  return found;
}

/** Returns the inventories of a cluster, with the warnings of a run. */
export function inventoriesIn(
  cluster: ClusterClient,
  { inventoryNamespace }: Pick<RunOptions, 'inventoryNamespace'>,
  onWarning?: (warning: RunDiagnostic) => void,
): InventoryStore {
  return new InventoryStore(cluster, inventoryNamespace, onWarning);
}
