import type { ObjectIdentity } from '../../assembly/identity.js';
import { resolvePath } from '../../fields/index.js';
import { typeAtPath } from '../../merge/index.js';
import { quantityFormat } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { canonicalQuantity } from '../../util/quantity.js';

/** Returns true if two values of a field are the same amount, written in two ways. */
export type IsEqualQuantity = (field: string, one: Json | undefined, other: Json | undefined) => boolean;

/**
 * Returns what tells equal quantities of an object, such as `2Gi` and `2048Mi`: only where the schema of a built-in kind says that the field is a
 * quantity. In a ConfigMap, they are two texts.
 *
 * @param object has the fields.
 */
export async function equalQuantitiesIn(
  { apiVersion, kind }: Pick<ObjectIdentity, 'apiVersion' | 'kind'>,
  object: JsonObject,
): Promise<IsEqualQuantity> {
  const { builtInType } = await import('../client-side-apply/built-in-types.js');
  const root = await builtInType({ apiVersion, kind });
  return (field, one, other) => {
    const path = root && resolvePath(field, object);
    if (path === undefined || typeAtPath(root as NonNullable<typeof root>, path)?.scalar?.format !== quantityFormat) return false;
    const amount = amountOf(one);
    return amount !== undefined && amount === amountOf(other);
  };
}

function amountOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(String(value)) : undefined;
}
