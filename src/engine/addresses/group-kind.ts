import { groupOf } from '../../assembly/identity.js';
import type { IntentManifest, PartialObject } from '../../assembly/types.js';
import { isJsonObject } from '../../util/json.js';
import { isCrd } from './wait-for-established.js';

/** Returns the group and kind of an object, as `apps/Deployment`. */
export function groupKindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

/** Returns the group and kind that a CustomResourceDefinition defines; undefined for other objects, and where it names none. */
export function definedGroupKind(object: PartialObject): string | undefined {
  if (!isCrd(object) || !isJsonObject(object.spec) || !isJsonObject(object.spec.names)) return undefined;
  return `${String(object.spec.group)}/${String(object.spec.names.kind)}`;
}

/** Returns the group and kind that a step defines. The object of any other step is not read for that. */
export function groupKindDefinedBy(step: { readonly intent: IntentManifest; readonly object: PartialObject }): string | undefined {
  return isCrd(step.intent) ? definedGroupKind(step.object) : undefined;
}
