import type { JsonObject } from '../../../util/json.js';

/** Members of an Event in the core group, and their names in events.k8s.io. Source: Kubernetes API reference, Event. */
const names: readonly (readonly [core: string, event: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const toEvent = new Map(names);
const toCore = new Map(names.map(([core, event]) => [event, core]));

/** Converts an Event of the core group to events.k8s.io/v1. */
export function eventToEventsV1(object: JsonObject): JsonObject {
  return { ...renamed(object, toEvent), apiVersion: 'events.k8s.io/v1' };
}

/** Converts an Event of events.k8s.io/v1 to the core group. */
export function eventToCoreV1(object: JsonObject): JsonObject {
  return { ...renamed(object, toCore), apiVersion: 'v1' };
}

function renamed(object: JsonObject, table: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [table.get(name) ?? name, value]));
}
