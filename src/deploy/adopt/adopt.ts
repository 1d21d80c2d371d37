import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { changeOwners } from '../../engine/apply/owner-patch.js';
import { type Step, stepsOf } from '../../engine/graph/waves.js';
import { InventoryStore, requireWhole } from '../../engine/inventory/store.js';
import { freshFromApplied } from '../../engine/repairs/fresh-object.js';
import type { EventHost } from '../../engine/run/events.js';
import { explain } from '../../engine/run/explain.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { inPool } from '../../engine/run/pool.js';
import type { ReportedError } from '../../engine/run/run-warning.js';
import { beginSession, type Session } from '../../engine/run/session.js';
import { addressOf } from '../../engine/target/address.js';
import { chooseStacks } from '../../engine/target/choose-stacks.js';
import { placeOf } from '../../engine/target/place.js';
import { resolveScopes } from '../../engine/target/scope.js';
import { type Claims, claimsOn, patchOf, type Wanted } from '../../engine/transfer/claims.js';
import { equalSets, formatPath, membersOf } from '../../fields/index.js';
import type { Cluster, ObjectAddress } from '../../kubernetes/index.js';
import { isBeforeFirstApply, type ManagedFieldsEntry, ownerText, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { keepersOf, noteLives } from './life.js';
import type { AdoptionRecord, RecordedAdoption } from './record.js';

export interface AdoptOptions
  extends Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'concurrency' | 'waitLock' | 'leaseSeconds' | 'signal'> {
  /** Field managers to adopt from, by exact name; absent: what kubectl wrote without server-side apply. */
  readonly from?: readonly string[];
  /** Asked with what would be done, before anything is. */
  readonly agree: (adoptions: readonly Adoption[]) => Promise<boolean>;
  /**
   * Asked with the objects that are only released when they end, because they were there before their stack: whether the stack becomes the one
   * to delete them. Absent means no.
   */
  readonly agreeLife?: (objects: readonly string[]) => Promise<boolean>;
  /** Writes down what is going to be done; what it throws ends the adoption before it begins. */
  readonly record: (record: AdoptionRecord) => Promise<void>;
}

/** What is adopted of one object. */
export interface Adoption {
  readonly object: string;
  readonly stack: string;
  /** Who owns the fields alone afterwards, or together with owners that are not named here. */
  readonly to: string;
  readonly moves: readonly { readonly from: string; readonly fields: readonly string[] }[];
  /** What becomes of the annotation of client-side apply. */
  readonly lastApplied?: 'trimmed' | 'removed';
  /** Absent before it was tried. */
  readonly result?: 'adopted' | 'failed';
  readonly error?: ReportedError;
}

/** What there is to adopt, and what cannot be adopted yet. */
export interface AdoptionOutcome {
  readonly adoptions: readonly Adoption[];
  /** Objects that the stack has not deployed: nothing can be given to it before. */
  readonly notDeployed: readonly string[];
  /** Objects that their stack is now the one to delete. */
  readonly lives: readonly string[];
  /** Objects that their stack could be the one to delete, and nobody agreed. */
  readonly released: readonly string[];
  /** Objects that are only released when they end, because others apply fields to them. */
  readonly kept: readonly { readonly object: string; readonly by: readonly string[] }[];
}

interface Candidate {
  readonly step: Step;
  readonly address: ObjectAddress;
  readonly uid: string;
  readonly wanted: Wanted;
  readonly claims: Claims;
  /** The stack can become the one to delete it. */
  readonly life: boolean;
}

/**
 * Ends the part of other managers in fields that the chosen stacks declare and, since their last deploy, own too. Nothing else of theirs
 * is touched, and no value changes but the annotation of client-side apply, which forgets these fields.
 *
 * @throws FieldwiseError `confirmation-needed`, `adopt-from-stack`, `stack-unknown`, those of locks and inventories.
 */
export async function adopt(assembly: Assembly, cluster: Cluster, options: AdoptOptions, host: EventHost): Promise<AdoptionOutcome> {
  const ofStack = options.from?.find((manager) => manager.startsWith('fieldwise/'));
  if (ofStack !== undefined) {
    throw new FieldwiseError('adopt-from-stack', 'usage', 'Fields of another stack are handed over, not adopted', {
      location: { manager: ofStack },
      next: `Declare them in the stack that is to have them, then run \`fieldwise handoff --from manager:${ofStack} --to STACK\` with its name.`,
    });
  }
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const identities = stacks.map(({ name, manager }) => ({ app, instance, stack: name, manager }));
  const session = await beginSession(cluster, identities, options, host);
  try {
    const steps = await resolveScopes(session.cluster, stepsOf(assembly, stacks));
    const { found, notDeployed, kept } = await findCandidates(session, steps, options);
    const candidates = found.filter(({ claims }) => claims.moves.length > 0);
    const preview = candidates.map((candidate) => adoptionOf(candidate));
    if (candidates.length > 0 && !(await options.agree(preview))) {
      throw new FieldwiseError('confirmation-needed', 'usage', 'Nobody has agreed to this adoption, and nothing was changed', {
        next: 'Read the preview, then run again with --yes.',
      });
    }
    const mortal = found.filter(({ life }) => life);
    const offered = mortal.map(({ step }) => objectText(step.intent));
    const agreed = mortal.length > 0 && (await options.agreeLife?.(offered)) === true;
    const released = agreed ? [] : offered;
    const touched = found.filter(({ claims, life }) => claims.moves.length > 0 || (agreed && life));
    if (touched.length === 0) return { adoptions: [], notDeployed, lives: [], released, kept };
    const time = new Date().toISOString();
    const objects = touched.map((candidate) => recordOf(candidate, agreed));
    await options.record({ app, instance, server: cluster.server, time, objects });
    const adoptions = new Map<Candidate, Adoption>();
    await inPool(candidates, options.concurrency ?? defaultConcurrency, async (candidate) => {
      adoptions.set(candidate, await carryOut(session.cluster, candidate, options));
    });
    const store = new InventoryStore(session.records, options.inventoryNamespace);
    const lives = agreed ? mortal.filter((candidate) => adoptions.get(candidate)?.result !== 'failed') : [];
    for (const stack of identities) {
      const own = lives.filter(({ step }) => step.stack.manager === stack.manager);
      await noteLives(store, stack, new Map(own.map(({ step, uid }) => [step.key, uid])), true);
    }
    return {
      adoptions: candidates.map((candidate) => adoptions.get(candidate) as Adoption),
      notDeployed,
      lives: lives.map(({ step }) => objectText(step.intent)),
      released,
      kept,
    };
  } finally {
    await session.end();
  }
}

async function findCandidates(session: Session, steps: readonly Step[], options: AdoptOptions) {
  const store = new InventoryStore(session.records, options.inventoryNamespace);
  const all = await store.read();
  const inventories = new Map(all.map((inventory) => [inventory.stack.manager, inventory]));
  const found = new Map<Step, Candidate>();
  const notDeployed = new Set<Step>();
  const keepers = new Map<Step, readonly string[]>();
  await inPool(steps, options.concurrency ?? defaultConcurrency, async (step) => {
    const inventory = inventories.get(step.stack.manager);
    const known = inventory && requireWhole(inventory).entries.get(step.key);
    if (known?.uid === undefined) return void notDeployed.add(step);
    const address = await addressOf(session.cluster, step.intent);
    const live = await session.cluster.find(address);
    if (live === undefined || (live.metadata as JsonObject).uid !== known.uid) return void notDeployed.add(step);
    const { manager } = step.stack;
    const wanted = { manager, intent: step.object, fresh: await freshFor(session.cluster, address, live, manager) };
    const claims = claimsOn(live, wanted, adoptedFrom(options));
    const keptBy = keepersOf(step, known, live);
    if (keptBy !== undefined && keptBy.length > 0) keepers.set(step, keptBy);
    const life = keptBy?.length === 0;
    if (claims.moves.length > 0 || life) found.set(step, { step, address, uid: known.uid, wanted, claims, life });
  });
  return {
    found: steps.flatMap((step) => found.get(step) ?? []),
    notDeployed: steps.filter((step) => notDeployed.has(step)).map(({ intent }) => objectText(intent)),
    kept: steps.flatMap((step) => {
      const by = keepers.get(step);
      return by === undefined ? [] : [{ object: objectText(step.intent), by }];
    }),
  };
}

/**
 * kubectl names itself after its command; what was there before the first apply, and what many updaters wrote long ago, has names of the
 * server's own.
 */
function adoptedFrom({ from }: AdoptOptions): (entry: ManagedFieldsEntry) => boolean {
  if (from !== undefined) return ({ manager }) => from.includes(manager);
  return ({ manager, operation }) =>
    operation === 'Update' && /^(kubectl|kubectl-[a-z-]+|before-first-apply|ancient-changes)$/.test(manager);
}

/** Only where `before-first-apply` owns anything of it there is a difference. */
async function freshFor(cluster: Cluster, address: ObjectAddress, live: JsonObject, manager: string): Promise<JsonObject | undefined> {
  return recordedFieldsOf(live).some(isBeforeFirstApply) ? freshFromApplied(cluster, address, live, manager) : undefined;
}

async function carryOut(cluster: Cluster, candidate: Candidate, options: AdoptOptions): Promise<Adoption> {
  const { step, address, uid, wanted, claims } = candidate;
  const { manager } = step.stack;
  try {
    await changeOwners(cluster, address, (live) => {
      const now = live && (live.metadata as JsonObject).uid === uid ? claimsOn(live, wanted, adoptedFrom(options)) : { moves: [] };
      if (live === undefined || !sameClaims(now, claims)) throw changedMeanwhile(manager);
      return patchOf(live, manager, now);
    });
    return { ...adoptionOf(candidate), result: 'adopted' };
  } catch (error) {
    return { ...adoptionOf(candidate), result: 'failed', error: explain(error) };
  }
}

function sameClaims(left: Claims, right: Claims): boolean {
  return (
    left.moves.length === right.moves.length &&
    left.moves.every(({ fields }, index) => equalSets(fields, (right.moves[index] as Claims['moves'][number]).fields)) &&
    left.annotation?.before === right.annotation?.before
  );
}

function changedMeanwhile(manager: string): FieldwiseError {
  return new FieldwiseError('owners-changed', 'resource', 'The owners of the object have changed since they were shown', {
    location: { manager },
    next: 'Nothing of it was changed. Run again, which shows the owners as they are now. Where a value is another one by now, deploy first.',
  });
}

function adoptionOf({ step, claims: { moves, annotation } }: Candidate): Adoption {
  const { stack, intent } = step;
  return {
    object: objectText(intent),
    stack: stack.name,
    to: stack.manager,
    moves: moves.map(({ from, fields }) => ({
      from: ownerText(from),
      fields: membersOf(fields)
        .filter(({ leaf }) => leaf)
        .map(({ path }) => formatPath(path)),
    })),
    ...(annotation === undefined ? {} : { lastApplied: annotation.after === undefined ? ('removed' as const) : ('trimmed' as const) }),
  };
}

function recordOf({ step: { stack, intent }, uid, claims, life }: Candidate, agreed: boolean): RecordedAdoption {
  const { lifecycle: _, ...place } = placeOf(stack.name, stack.manager, intent);
  return { place, uid, claims, ...(agreed && life ? { life } : {}) };
}
