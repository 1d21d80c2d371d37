import * as v from 'valibot';
import { neededVersion } from '../../assembly/read.js';
import { isJsonObject } from '../../util/json.js';

const text = v.string();
const owner = v.looseObject({ manager: text, operation: v.picklist(['Apply', 'Update']), subresource: v.exactOptional(text) });
const owners = v.array(owner);
const field = v.looseObject({
  field: text,
  change: text,
  owners: v.exactOptional(owners),
  collateral: v.exactOptional(v.array(v.looseObject({ field: text, owners }))),
});
const object = v.looseObject({
  stack: text,
  manager: text,
  object: text,
  apiVersion: text,
  kind: text,
  namespace: v.exactOptional(text),
  name: text,
  action: text,
  uid: v.exactOptional(text),
  resourceVersion: v.exactOptional(text),
  fields: v.array(field),
});
const savedPlan = v.looseObject({
  fieldwise: v.literal(2),
  kind: v.literal('plan'),
  assembly: text,
  app: text,
  instance: text,
  cluster: v.exactOptional(v.looseObject({ server: text, uid: v.exactOptional(text), inventoryUid: v.exactOptional(text) })),
  settings: v.strictObject({
    stacks: v.array(text),
    inventoryNamespace: text,
    deleteShared: v.boolean(),
    deleteForeign: v.boolean(),
    strategy: v.exactOptional(v.picklist(['server-side', 'dynamic'])),
  }),
  objects: v.array(object),
});

/** Returns the reason why a value is not a saved plan, or undefined if it is one. */
export function savedPlanIssue(value: unknown): string | undefined {
  if (isJsonObject(value) && Number(value.fieldwise) > 2)
    return `its format version is ${String(value.fieldwise)}, and this version of Fieldwise reads format 2${neededVersion(value)}`;
  const result = v.safeParse(savedPlan, value);
  if (result.success) return undefined;
  const [issue] = result.issues;
  return `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`;
}
