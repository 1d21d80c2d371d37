import { nameOf, preconditionsOf } from '../../../fields/object.js';
import type { ClusterClient, Resource } from '../../../kubernetes/index.js';
import { isIntentApplied } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import { groupKindDefinedBy, groupKindOf } from '../../addresses/group-kind.js';
import { isCrd } from '../../addresses/wait-for-established.js';
import { keepsDeclaredValues } from '../../field-changes/keeps-declared-values.js';
import type { Step } from '../../graph/waves.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';
import { isEdited } from '../../inventory/not-as-applied.js';
import { isClearedSince } from '../../object/cleared-since.js';
import { formerOwnersOf } from '../../object/former-owners.js';
import { forEachConcurrent } from '../../run/for-each-concurrent.js';
import { isNotTerminating } from '../preconditions/refuse-terminating.js';
import type { NoopFingerprints } from './noop-fingerprint.js';
import { type AdmissionLook, seesNothing } from './observers/admission-look.js';
import type { KindScope } from './observers/observer.js';
import type { SchemaFingerprints } from './schema-fingerprints.js';

/** An intent and the inventory entry of its object. */
export interface SkipCandidate {
  readonly step: Step;
  readonly known: InventoryEntry | undefined;
}

/** The part of an inventory entry that is recorded for an object that needs no request. */
export type Unchanged = Required<Pick<InventoryEntry, 'resourceVersion' | 'noopFingerprint'>>;

/**
 * Finds the intents whose PATCH a LIST proves to change nothing (`reconcile: changed`), with the resourceVersion that proves it. Sends one
 * LIST per kind and namespace, only where it is cheaper than the PATCHes: its first page, which is mostly the whole response, says how many
 * objects it would read. Objects that cannot be listed, or not be proved, are left to their PATCH. Secrets are never listed.
 *
 * A proof needs that this stack applied the very object before under the schema that the kind has now. Where an earlier run has recorded
 * one (`NoopFingerprints`), the LIST asks for metadata only, and values are read only for objects written since; see `isIntentApplied` for
 * the rest.
 */
export async function findUnchanged(
  cluster: ClusterClient,
  candidates: readonly SkipCandidate[],
  options: {
    readonly schemaFingerprints: SchemaFingerprints;
    readonly noopFingerprints: NoopFingerprints;
    readonly concurrency: number;
    /** Receives the objects that were read with their values and are not as declared. */
    readonly onDrifted?: (step: Step, live: JsonObject) => void;
    /** With it, objects that admission sees are left to their PATCH, too (`reconcile: auto`). */
    readonly admission?: AdmissionLook | undefined;
    /** Receives the objects that are left to their PATCH because of what sees them. */
    readonly onSeen?: (step: Step, source: string) => void;
    /** Receives the objects that nothing sees, that have the declared values and are nevertheless left to their PATCH, with their resourceVersion. */
    readonly onUnseen?: (step: Step, resourceVersion: string) => void;
  },
): Promise<ReadonlyMap<Step, Unchanged>> {
  const unchanged = new Map<Step, Unchanged>();
  const seen = new Set<Step>();
  const notice = ({ step }: SkipCandidate, source: string) => {
    seen.add(step);
    options.onSeen?.(step, source);
  };
  const isSettled = ({ step }: SkipCandidate) => unchanged.has(step) || seen.has(step);
  const collections = await collectionsOf(cluster, candidates, options.schemaFingerprints);
  await forEachConcurrent(collections, options.concurrency, async (collection) => {
    try {
      const seenBy = (await options.admission?.at(collection)) ?? seesNothing;
      if (typeof seenBy === 'string') {
        for (const candidate of candidatesIn(collection)) notice(candidate, seenBy);
        return;
      }
      await compare(cluster, collection, isSettled, (candidate, live, mode) => {
        const source = seenBy(live);
        const found = unchangedIn(candidate, live, mode, options.noopFingerprints);
        if (source !== undefined) notice(candidate, source);
        else if (found) unchanged.set(candidate.step, found);
        else if (options.admission && mode === 'values' && keepsDeclaredValues(live, candidate.step.object))
          options.onUnseen?.(candidate.step, preconditionsOf(live).resourceVersion);
        if (mode === 'values' && !found) options.onDrifted?.(candidate.step, live);
      });
    } catch {
      // Credentials that may not list may still patch; other errors surface there, too, object by object.
    }
  });
  return unchanged;
}

/** Receives an object that was read for a candidate. */
type OnMet = (candidate: SkipCandidate, live: JsonObject, mode: 'metadata' | 'values') => void;

/** Reads the objects of a collection: only their metadata if that is mostly enough, then values of those that it does not settle. */
async function compare(
  cluster: ClusterClient,
  collection: Collection,
  isSettled: (candidate: SkipCandidate) => boolean,
  onMet: OnMet,
): Promise<void> {
  const all = isMostlyFingerprinted(collection) ? await list(cluster, collection, 'metadata', onMet) : 0;
  const rest = without(collection, isSettled);
  if (isWorthListing(rest, all)) await list(cluster, rest, 'values', onMet);
  else await readEach(cluster, rest, onMet);
}

/** Returns what is recorded of an object if its PATCH would change nothing; undefined if that is not proved. */
export function unchangedIn(
  { step, known }: SkipCandidate,
  live: JsonObject,
  mode: 'metadata' | 'values',
  fingerprints: NoopFingerprints,
): Unchanged | undefined {
  const { uid, resourceVersion } = preconditionsOf(live);
  if (known?.schema === undefined || known.uid !== uid || !isNotTerminating(live)) return undefined;
  const fingerprint = fingerprints.of(step, known.schema, resourceVersion);
  const isUnchanged =
    known.noopFingerprint === fingerprint || (mode === 'values' && isIntentApplied(live, step.object, step.stack.manager));
  if (!isUnchanged || formerOwnersOf(live, step.stack).length > 0) return undefined; // left by a half-done rename
  if (isClearedSince(known, undefined, live, [step.stack.manager])) return undefined; // its apply reports it
  return { resourceVersion, noopFingerprint: fingerprint };
}

/**
 * Lists a collection as long as that is cheaper than patching.
 *
 * @returns how many objects there are.
 */
async function list(
  cluster: ClusterClient,
  { resource, namespace, wanted }: Collection,
  mode: 'metadata' | 'values',
  onMet: OnMet,
): Promise<number> {
  const scope = namespace === undefined ? {} : { namespace };
  let read = 0;
  for await (const { items, remainingItemCount } of cluster.pages(resource, {
    metadataOnly: mode === 'metadata',
    ...scope,
    firstPageSize: wanted.size * 2 + pageAllowance,
  })) {
    read += items.length;
    for (const live of items) {
      for (const candidate of wanted.get(nameOf(live)) ?? []) onMet(candidate, live, mode);
    }
    if (read + remainingItemCount > wanted.size * maxListedPerPatch) return read + remainingItemCount;
  }
  return read;
}

async function readEach(cluster: ClusterClient, { resource, namespace, wanted }: Collection, onMet: OnMet): Promise<void> {
  const scope = namespace === undefined ? {} : { namespace };
  await Promise.all(
    [...wanted].map(async ([name, same]) => {
      const live = await cluster.tryGet({ resource, ...scope, name });
      if (live) for (const candidate of same) onMet(candidate, live, 'values');
    }),
  );
}

/** The candidates of a kind, in a namespace if its objects are namespaced. */
export interface Collection extends KindScope {
  /** By the name of the object: several stacks may declare one. */
  readonly wanted: Map<string, SkipCandidate[]>;
}

/**
 * Returns true for more than two of our own objects that are not among very many of others.
 *
 * @param all how many objects a LIST would read; 0 where that is unknown.
 */
function isWorthListing({ wanted }: Collection, all: number): boolean {
  return wanted.size > 2 && wanted.size * maxListedPerPatch >= all;
}

/** Returns true if most objects have a fingerprint: a LIST of metadata costs one more read for each object that was written since. */
function isMostlyFingerprinted({ wanted }: Collection): boolean {
  const fingerprinted = [...wanted.values()].filter((same) => same.every(({ known }) => known?.noopFingerprint !== undefined));
  return fingerprinted.length * 2 > wanted.size;
}

export function candidatesIn({ wanted }: Collection): readonly SkipCandidate[] {
  return [...wanted.values()].flat();
}

function without(collection: Collection, isSettled: (candidate: SkipCandidate) => boolean): Collection {
  const left = [...collection.wanted].map(([name, same]) => [name, same.filter((candidate) => !isSettled(candidate))] as const);
  return { ...collection, wanted: new Map(left.filter(([, same]) => same.length > 0)) };
}

/** Groups the candidates that may be skipped by kind and namespace. */
export async function collectionsOf(
  cluster: ClusterClient,
  candidates: readonly SkipCandidate[],
  fingerprints: SchemaFingerprints,
): Promise<readonly Collection[]> {
  const redefined = new Set(candidates.flatMap(({ step }) => groupKindDefinedBy(step) ?? []));
  const able = candidates.filter((candidate) => mayBeSkipped(candidate) && !redefined.has(groupKindOf(candidate.step.intent)));
  const kinds = new Map(able.map(({ step: { intent } }) => [`${intent.apiVersion} ${intent.kind}`, intent] as const));
  const served = new Map<string, { readonly resource: Resource; readonly fingerprint: string | undefined }>();
  await Promise.all(
    [...kinds].map(async ([key, { apiVersion, kind }]) => {
      const resource = await cluster.resourceOf(apiVersion, kind).catch(() => undefined);
      if (resource) served.set(key, { resource, fingerprint: await fingerprints.fingerprintOf(resource) });
    }),
  );
  const collections = new Map<string, Collection>();
  for (const candidate of able) {
    const { intent } = candidate.step;
    const { resource, fingerprint } = served.get(`${intent.apiVersion} ${intent.kind}`) ?? {};
    if (resource === undefined || fingerprint !== candidate.known?.schema) continue;
    const namespace = resource.namespaced ? (intent.namespace ?? cluster.defaultNamespace) : undefined;
    const key = `${intent.apiVersion} ${intent.kind} ${namespace ?? ''}`;
    const collection = collections.get(key) ?? { resource, namespace, wanted: new Map<string, SkipCandidate[]>() };
    collections.set(key, collection);
    const same = collection.wanted.get(intent.name);
    if (same) same.push(candidate);
    else collection.wanted.set(intent.name, [candidate]);
  }
  return [...collections.values()].filter((collection) => isWorthListing(collection, 0));
}

/** Returns true if an intent may turn out to change nothing, by what is known without a request. */
export function mayBeSkipped({ step, known }: SkipCandidate): boolean {
  const { intent } = step;
  if (known === undefined) return false;
  if (intent.policy.strategy === 'dynamic' || known.strategy === 'dynamic') return false; // merged client-side, from its own read
  if (known.uid === undefined || known.schema === undefined || known.lifecycle !== intent.lifecycle) return false;
  if (isEdited(known, step)) return false;
  if (known.items === undefined) return false; // the answer to its last apply was lost: the next one tells what it owns
  if (intent.policy.adopt && !known.deletable) return false;
  const isSecret = intent.apiVersion === 'v1' && intent.kind === 'Secret';
  return !isSecret && !isCrd(intent);
}

/** An object read in a LIST costs the server about a fortieth of a PATCH, and its bytes cost the client more than that. */
const maxListedPerPatch = 10;

/** Objects of others that are not worth a second page. */
const pageAllowance = 10;
