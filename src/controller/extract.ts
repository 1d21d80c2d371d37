import { type ApplyConfiguration, builderTypeOf, fromObject } from '../builders/index.js';
import { metadataOf } from '../kubernetes/object.js';
import { extract as extractFields } from '../merge/index.js';
import { applyEntryOf, type ManagedFieldsEntry } from '../ownership/index.js';
import type { RootType } from '../schema/index.js';
import { FieldwiseError } from '../util/error.js';
import { inexactNumber } from '../util/exact-json.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** A constructor of builders of a whole object, such as `deployment` or `deploymentStatus`. */
export type BuilderFactory<Builder> = (name: string, namespace?: string) => Builder;

/** Whose fields `extract` returns. */
export interface AppliedBy {
  /** Name of the field manager. */
  readonly manager: string;
  /**
   * `status`, where the manager applied through that subresource.
   *
   * @default the object itself
   */
  readonly subresource?: string;
}

/**
 * Returns the builder of exactly the fields that a manager has applied to a live object, and of its name and uid: the start for a
 * controller that cannot rebuild its full intent. Where the manager has applied nothing, the builder holds name and uid alone. The uid is
 * why an apply of it never creates: where the object was deleted since, it ends with `object-deleted`.
 *
 * ```ts
 * const ours = extract(deployment, live, { manager: 'shop-operator' });
 * await controller.apply(ours.withSpec({ replicas: 3 })); // everything else stays declared
 * const status = extract(deploymentStatus, live, { manager: 'shop-operator', subresource: 'status' });
 * ```
 *
 * @throws FieldwiseError `extract-other-version` where the manager applied in another apiVersion than the builder's, or the object is of
 *   another kind; `value-inexact` and, for a `bigint`, `intent-invalid` where a value is a whole number beyond 2^53, which no builder holds.
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
    throw new FieldwiseError('extract-other-version', 'usage', `A builder of ${root.apiVersion} ${root.kind} cannot hold these fields`, {
      location: { object: `${object.apiVersion} ${object.kind}`, manager },
      next: `They were applied as ${entry?.apiVersion ?? object.apiVersion}. Read the object, and take the builder, of that version.`,
    });
  }
  const declared = appliedFields(root, object, entry);
  const metadata = { ...metadataOf(declared), ...identityOf(object) };
  return builderOf(make, { ...declared, apiVersion: root.apiVersion, kind: root.kind, metadata });
}

/** Returns the fields of a live object that an entry of its managedFields names. */
export function appliedFields(root: RootType, live: JsonObject, entry: ManagedFieldsEntry | undefined): JsonObject {
  const fields = entry && extractFields(root.schema, root.type, live, entry.fields);
  return isJsonObject(fields) ? fields : {};
}

/**
 * Returns the apply configuration of a status that is read or made elsewhere: name, uid if there is one, and status of a whole object, by
 * the constructor of the status builder. Everything else of the object is left out, because the status subresource ignores it.
 *
 * ```ts
 * await controller.applyStatus(statusOf(deploymentStatus, live));
 * ```
 *
 * @throws FieldwiseError `value-inexact` and `intent-invalid` as `extract`.
 */
export function statusOf<Builder extends ApplyConfiguration<string, object>>(make: BuilderFactory<Builder>, object: object): Builder {
  const { status } = object as JsonObject;
  const declared = { metadata: identityOf(object as JsonObject), ...(status === undefined ? {} : { status }) };
  return builderOf(make, declared);
}

/** Other clients read whole numbers beyond 2^53 rounded; a `bigint` is refused by the builder itself. */
function builderOf<Builder extends ApplyConfiguration<string, object>>(make: BuilderFactory<Builder>, declared: JsonObject): Builder {
  const rounded = inexactNumber(declared);
  if (rounded === undefined) return fromObject(make as never, declared as never);
  throw new FieldwiseError(
    'value-inexact',
    'usage',
    `A whole number beyond 2^53 is not what was written: JavaScript has rounded it to ${rounded}`,
    {
      next: 'Nothing was sent. Read the object with `controller.read`, and apply a plain object with the bigint in this field.',
    },
  );
}

function identityOf(object: JsonObject): JsonObject {
  const { name, namespace, uid } = metadataOf(object);
  return { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
}

/** @throws FieldwiseError `intent-invalid` where the constructor is of a part of an object. */
export function rootOf(make: BuilderFactory<unknown>): RootType {
  const root = builderTypeOf(make('any'))?.root;
  if (root) return root;
  throw new FieldwiseError('intent-invalid', 'usage', 'This makes no builder of a whole object', {
    next: 'Pass a constructor such as deployment or deploymentStatus.',
  });
}
