import type { DocumentObject } from '../../app/document-object.js';
import type { Policy } from '../../app/settings/policy.js';
import type { PartialObject } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { isOrderedHook } from './helm-hook-events.js';
import { optionNames, optionsAnnotation } from './object-options.js';

/** Annotations that Fieldwise itself writes to live objects: the tracking of a stack, and intents that were merged client-side. */
const recorded = /^(?:fieldwise\.dev\/stack-[0-9a-f]{16}$|applied\.fieldwise\.dev\/)/;

/**
 * Removes the annotations that Fieldwise wrote to a live object, which a document contains if it was exported from a cluster: they describe
 * the stacks of that cluster.
 *
 * @throws FieldwiseError `policy-invalid` for any other annotation of Fieldwise except the options: a misspelled one would have no effect.
 */
export function withDocumentAnnotations(object: PartialObject, location: ErrorLocation): PartialObject {
  const { annotations, ...metadata } = object.metadata;
  if (!isJsonObject(annotations)) return object;
  const names = Object.keys(annotations);
  const unknown = names.find((name) => name.startsWith('fieldwise.dev/') && name !== optionsAnnotation && !recorded.test(name));
  if (unknown !== undefined) {
    throw new FieldwiseError('policy-invalid', 'usage', `The annotation ${unknown} is unknown`, {
      location: { ...location, field: `.metadata.annotations[${unknown}]` },
      next: `Use ${optionsAnnotation}, with a list such as lifecycle=share,conflicts=yield; its options are ${optionNames}.`,
    });
  }
  if (!names.some((name) => recorded.test(name))) return object;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => !recorded.test(name)));
  const described = Object.keys(kept).length > 0 ? { ...metadata, annotations: kept } : metadata;
  return { ...object, metadata: described as PartialObject['metadata'] };
}

/**
 * Returns the lifecycle and policy of an object of a document without an annotation of Fieldwise. `helm.sh/resource-policy: keep` retains the
 * object, and a hook is replaced if it changes, as Helm does.
 */
export function documentDefaults({ object, lifecycle }: DocumentObject): { readonly lifecycle: Lifecycle; readonly policy: Policy } {
  const annotations = annotationsOf(object);
  return {
    lifecycle,
    policy: {
      ...(annotations['helm.sh/resource-policy'] === 'keep' ? { retain: true } : {}),
      ...(isOrderedHook(annotations) ? { replace: true } : {}),
    },
  };
}

/** Returns the annotations of an object that is not validated yet. */
function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) && isJsonObject(metadata.annotations) ? metadata.annotations : {};
}
