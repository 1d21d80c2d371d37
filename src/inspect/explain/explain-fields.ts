import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { addressOf } from '../../engine/addresses/address.js';
import { releasedIn } from '../../engine/field-changes/report-releases.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { dryReleaseBeyond } from '../../engine/release/empty-intent.js';
import { explain } from '../../engine/report/explain.js';
import type { PlannedField } from '../../engine/report/plan-types.js';
import type { ReleasedField } from '../../engine/report/released-field.js';
import { SecretMasker } from '../../engine/secrets/secret-masker.js';
import { formatPath, pathCovers, resolvePath, withoutPath } from '../../fields/index.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import type { OwnedField } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json, JsonObject } from '../../util/json.js';
import { objectNamed } from '../owners/select-objects.js';
import { readableInventories } from '../readable-inventories.js';
import { type ExplainedOwner, explainOwner } from './explain-conflicts.js';
import { ownerOf } from './live-owners.js';
import { shownFields } from './shown-fields.js';
import { type WayOut, waysInFieldwise } from './ways-out.js';

/** The effect if an owner that applied a field no longer declared it. */
export interface TriedRelease {
  /** Absent if the server refused the dry run. */
  readonly outcome?: readonly (Pick<ReleasedField, 'change'> & Pick<PlannedField, 'field' | 'newValue' | 'collateral'>)[];
  /** The reason why the release could not be tried. */
  readonly refused?: string;
}

/** An owner of a live field. */
export interface FieldOwnerNow extends ExplainedOwner {
  /** Absent for owners by Update, who own a field until somebody else sets it or the value is removed. */
  readonly release?: TriedRelease;
}

/** A live field, its owners, and what would change them. */
export interface ExplainedField extends ObjectIdentity, IntegersAsText {
  readonly event: 'field';
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly field: string;
  /** Masked in Secrets; absent if the field has owners and no value. */
  readonly value?: Json;
  readonly owners: readonly FieldOwnerNow[];
  readonly ways: readonly WayOut[];
}

export interface ExplainFieldsOptions {
  readonly kind: string;
  readonly name: string;
  /** Paths such as `.spec.replicas`, each with all fields below it; a field at several of them is explained once, by the first. */
  readonly fields: readonly string[];
  readonly inventoryNamespace?: string;
  /** The flags that another command needs to name the same object, such as ` -n team`. */
  readonly flags?: string;
}

/**
 * Explains fields of a live object: who owns each since when, what each owner does next, and what a release would change, by a dry run.
 * Changes nothing.
 *
 * @throws FieldwiseError `kind-unknown`, `kind-ambiguous`, `object-missing`, `field-missing`, or no connection.
 */
export async function explainFields(cluster: ClusterClient, options: ExplainFieldsOptions): Promise<readonly ExplainedField[]> {
  const identity = objectNamed(cluster, await cluster.listResources(), options.kind, options.name);
  const address = await addressOf(cluster, identity);
  const live = await cluster.tryGet(address);
  if (live === undefined) {
    throw new FieldwiseError('object-missing', 'usage', 'The object does not exist', {
      location: { object: objectText(identity) },
      next: `This looked on ${cluster.server}. Name its namespace with \`-n\`, its environment with \`-e\`, or correct its name.`,
    });
  }
  const names = new OwnerNameResolver('', '', new Map());
  const inventories = await readableInventories(cluster, options.inventoryNamespace);
  names.addStacks(inventories.map(({ stack }) => stack));
  const explained = new Map<string, ExplainedField>();
  for (const path of options.fields) {
    const releases = new Releases({ cluster, address, live, path, names });
    for (const field of fieldsAt(live, path, identity, options.flags))
      if (!explained.has(field.field)) explained.set(field.field, await explainField(field, identity, releases, names));
  }
  return [...explained.values()];
}

/** Returns the fields at and below a path. */
function fieldsAt(live: JsonObject, path: string, identity: ObjectIdentity, flags = ''): readonly OwnedField[] {
  const resolved = resolvePath(path, live);
  const wanted = resolved === undefined ? path : formatPath(resolved);
  const shown = shownFields(live);
  const found = shown.filter(({ field }) => field === wanted || pathCovers(wanted, field));
  const around = found.length > 0 ? found : shown.filter(({ field, owners }) => owners.length > 0 && pathCovers(field, wanted));
  if (around.length > 0) return around;
  throw new FieldwiseError('field-missing', 'usage', `The object has no field ${path}`, {
    location: { object: objectText(identity), field: path },
    next: `\`fieldwise owners ${identity.kind}/${identity.name}${flags}\` lists the fields.`,
  });
}

async function explainField(
  { field, value, owners }: OwnedField,
  identity: ObjectIdentity,
  releases: Releases,
  names: OwnerNameResolver,
): Promise<ExplainedField> {
  const explained: FieldOwnerNow[] = [];
  for (const entry of owners) {
    const release = entry.operation === 'Apply' && !entry.subresource ? await releases.of(entry.manager, field) : undefined;
    explained.push({ ...explainOwner(ownerOf(entry), names), ...(release === undefined ? {} : { release }) });
  }
  return {
    event: 'field',
    object: objectText(identity),
    ...identity,
    field,
    ...(value === undefined ? {} : { value }),
    owners: explained,
    ways: waysInFieldwise(
      identity,
      owners.map(({ manager, operation }) => ({ field, manager, operation })),
    ),
  };
}

interface ReleaseContext {
  readonly cluster: ClusterClient;
  readonly address: ObjectAddress;
  readonly live: JsonObject;
  readonly path: string;
  readonly names: OwnerNameResolver;
}

/** Dry runs of releases of all fields at and below a path, one for each manager. */
class Releases {
  readonly #context: ReleaseContext;
  readonly #tried = new Map<string, Promise<TriedRelease>>();

  constructor(context: ReleaseContext) {
    this.#context = context;
  }

  /** Returns the effect on one of the fields if a manager released all of them. */
  async of(manager: string, field: string): Promise<TriedRelease> {
    const tried = this.#tried.get(manager) ?? this.#try(manager);
    this.#tried.set(manager, tried);
    const { outcome, refused } = await tried;
    if (outcome === undefined) return refused === undefined ? {} : { refused };
    return {
      outcome: outcome.filter(
        (released) => released.field === field || pathCovers(released.field, field) || pathCovers(field, released.field),
      ),
    };
  }

  async #try(manager: string): Promise<TriedRelease> {
    const { cluster, address, live, path, names } = this.#context;
    const resolved = resolvePath(path, live);
    if (resolved === undefined) return { refused: 'the field has no value' };
    const intent = withoutPath(live, resolved) as JsonObject;
    try {
      const after = await dryReleaseBeyond(cluster, address, live, { manager, intent });
      const released = releasedIn({ live, after, intent, managers: [manager], contested: [], names });
      return {
        outcome: released.map(({ oldValue: _, owners: __, reason: ___, ...outcome }) => outcome),
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { refused: new SecretMasker([live]).mask(explain(error).message) };
    }
  }
}
