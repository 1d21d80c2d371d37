import type { RootType } from '../../../schema/index.js';
import type { JsonObject } from '../../../util/json.js';
import { autoscalerToV1, autoscalerToV2 } from './autoscaler-versions.js';
import { eventToCoreV1, eventToEventsV1 } from './event-versions.js';
import { roundTripGoStruct } from './round-trip-go-struct.js';

/** Converts an object of a built-in kind to another of its versions; undefined if the kind does not have the version. */
export type Conversion = (object: JsonObject, apiVersion: string) => JsonObject | undefined;

/** The steps to each version, by kind. */
const steps: Readonly<Record<string, Readonly<Record<string, (object: JsonObject) => JsonObject>>>> = {
  HorizontalPodAutoscaler: { 'autoscaling/v1': autoscalerToV1, 'autoscaling/v2': autoscalerToV2 },
  Event: { v1: eventToCoreV1, 'events.k8s.io/v1': eventToEventsV1 },
};

/** Returns the conversion between the versions of a kind, undefined if it has one version. */
export function conversionOf(roots: ReadonlyMap<string, RootType>): Conversion | undefined {
  if (roots.size === 1) return undefined;
  const converted = new WeakMap<JsonObject, JsonObject>();
  return (object, apiVersion) => {
    const known = converted.get(object);
    if (known?.apiVersion === apiVersion) return known;
    const root = roots.get(apiVersion);
    const step = steps[String(object.kind)]?.[apiVersion];
    if (object.apiVersion === apiVersion) return object;
    if (root === undefined || step === undefined) return undefined;
    const result = roundTripGoStruct(root, step(object)).object;
    // Also back: a version that expresses less keeps the order of what it was converted from.
    converted.set(object, result).set(result, object);
    return result;
  };
}
