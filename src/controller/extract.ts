import { type ApplyConfiguration, builderTypeOf, fromObject } from '../builders/index.js';
import { metadataOf } from '../fields/object.js';
import { extract as extractFields } from '../merge/index.js';
import { applyEntryOf, type ManagedFieldsEntry } from '../ownership/index.js';
import { isBuiltIn, type RootType } from '../schema/index.js';
import { FieldwiseError } from '../util/error.js';
import { inexactNumber } from '../util/exact-json.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** A function that makes a builder of a whole object, such as `deployment` or `deploymentStatus`. */
export type BuilderFactory<Builder> = (name: string, namespace?: string) => Builder;

/** The owner whose fields `extract` returns. */
export interface AppliedBy {
  /** Name of the field manager. */
  readonly manager: string;
  /**
   * The subresource through which the manager applied, such as `status`.
   *
   * @default the object itself
   */
  readonly subresource?: string;
}

/**
 * Returns a builder with exactly the fields that a manager has applied to a live object, and the name and uid: the basis of an apply by a
 * controller that cannot rebuild its complete intent. If the manager has applied nothing, the builder has only name and uid. Because of the
 * uid, an apply of the builder never creates an object; if the object was deleted, it fails with `object-deleted`.
 *
 * ```ts
 * const applied = extract(deployment, live, { manager: 'shop-operator' });
 * await controller.apply(applied.withSpec({ replicas: 3 })); // everything else stays declared
 * const status = extract(deploymentStatus, live, { manager: 'shop-operator', subresource: 'status' });
 * ```
 *
 * @throws FieldwiseError `extract-other-version` if the manager applied in another apiVersion than the builder's, or the object is of
 *   another kind; `value-inexact` and, for a `bigint`, `intent-invalid` if a value is an integer beyond 2^53, which no builder accepts.
 */
export function extract<Builder extends ApplyConfiguration<string, object>>(
  make: BuilderFactory<Builder>,
  live: object,
  { manager, subresource }: AppliedBy,
): Builder {
  const object = live as JsonObject;
  const root = rootOf(make);
  const entry = applyEntryOf(object, manager, subresource);
  const found = [object.apiVersion, entry?.apiVersion ?? object.apiVersion];
  if (object.kind !== root.kind || found.some((apiVersion) => apiVersion !== root.apiVersion)) {
    throw new FieldwiseError('extract-other-version', 'usage', `A builder of ${root.apiVersion} ${root.kind} cannot contain these fields`, {
      location: { object: `${object.apiVersion} ${object.kind}`, manager },
      next: `They were applied as ${entry?.apiVersion ?? object.apiVersion}. Read the object in that version, and use its builder.`,
    });
  }
  const fields = appliedFields(root, object, entry);
  // A built-in kind returns null for some empty fields, such as the rules of a Role; no builder declares null.
  const declared = isBuiltIn(root.apiVersion) ? withoutNulls(fields) : fields;
  const metadata = { ...metadataOf(declared), ...objectIdentity(object) };
  return builderOf(make, { ...declared, apiVersion: root.apiVersion, kind: root.kind, metadata });
}

function withoutNulls(fields: JsonObject): JsonObject {
  const members = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(members.map(([name, value]) => [name, isJsonObject(value) ? withoutNulls(value) : value]));
}

/** Returns the fields of a live object that a managedFields entry lists. */
export function appliedFields(root: RootType, live: JsonObject, entry: ManagedFieldsEntry | undefined): JsonObject {
  const fields = entry && extractFields(root.schema, root.type, live, entry.fields);
  return isJsonObject(fields) ? fields : {};
}

/**
 * Returns the apply configuration of an object's status, which was read or computed elsewhere: its name, its uid if it has one, and its
 * status. Leaves out the other fields of the object, which the status subresource ignores.
 *
 * ```ts
 * await controller.applyStatus(statusOf(deploymentStatus, live));
 * ```
 *
 * @throws FieldwiseError `value-inexact` and `intent-invalid` as `extract`.
 */
export function statusOf<Builder extends ApplyConfiguration<string, object>>(make: BuilderFactory<Builder>, object: object): Builder {
  const { status } = object as JsonObject;
  const declared = { metadata: objectIdentity(object as JsonObject), ...(status === undefined ? {} : { status }) };
  return builderOf(make, declared);
}

/** Rejects integers beyond 2^53, which other clients round when they read them. The builder itself rejects a `bigint`. */
function builderOf<Builder extends ApplyConfiguration<string, object>>(make: BuilderFactory<Builder>, declared: JsonObject): Builder {
  const rounded = inexactNumber(declared);
  if (rounded === undefined) return fromObject(make as never, declared as never);
  throw new FieldwiseError('value-inexact', 'usage', `An integer beyond 2^53 has lost digits: JavaScript has rounded it to ${rounded}`, {
    next: 'Nothing was sent. Read the object with `controller.read`, and apply a plain object with the bigint in this field.',
  });
}

function objectIdentity(object: JsonObject): JsonObject {
  const { name, namespace, uid } = metadataOf(object);
  return { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
}

/** Returns the root type of a builder. @throws FieldwiseError `intent-invalid` if the builder is of a part of an object. */
export function rootOf(make: BuilderFactory<unknown>): RootType {
  const root = builderTypeOf(make('any'))?.root;
  if (root) return root;
  throw new FieldwiseError('intent-invalid', 'usage', 'This function does not make a builder of a whole object', {
    next: 'Pass a function such as deployment or deploymentStatus.',
  });
}
