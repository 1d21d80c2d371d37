import type { JsonObject } from '../../src/util/json.js';
import { metadataOf } from './situation.js';

/**
 * The recorded object with computed managedFields: defaults and validation of built-in kinds are not ours to check. The generation
 * and the version are those of before, because the server moves them later than it looks whether anything changed.
 */
export function withRecordedContent(computed: JsonObject, live: JsonObject | undefined, recorded: JsonObject): JsonObject {
  const { resourceVersion, generation } = metadataOf(live);
  const { managedFields: _, ...metadata } = metadataOf(recorded);
  const entries = metadataOf(computed).managedFields;
  const own = entries === undefined ? metadata : { ...metadata, managedFields: entries };
  return { ...recorded, metadata: { ...own, resourceVersion, generation } };
}

// What the server fills in, or takes away, after it has worked out who owns what.
const allocated = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

/** A recorded Service as it was when ownership was worked out. */
export function withoutAllocated(sent: JsonObject, recorded: JsonObject): JsonObject {
  if (recorded.kind !== 'Service') return recorded;
  const kept = Object.entries(recorded.spec as JsonObject).filter(([name]) => !allocated.includes(name));
  const own = Object.entries((sent.spec ?? {}) as JsonObject).filter(
    ([name]) => allocated.includes(name) || name === 'externalTrafficPolicy',
  );
  return { ...recorded, spec: Object.fromEntries([...kept, ...own]) };
}
