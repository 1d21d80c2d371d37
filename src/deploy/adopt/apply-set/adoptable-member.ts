import { applySetOf, partOfLabel } from '../../../engine/pruners/apply-set.js';
import { fieldSetOfPaths } from '../../../fields/index.js';
import { metadataOf } from '../../../fields/object.js';
import { type EntryIdentity, entriesWithout, isOfClientSideKubectl } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { AdoptableObject } from '../adoption-candidates.js';
import { metadataPath, ownersOfName } from './metadata-name.js';

const label = fieldSetOfPaths([metadataPath('labels', partOfLabel)]);

/**
 * Returns an object as it will be without the label of a set. Fields are adopted from the owners of the label: `kubectl-client-side-apply`,
 * or with server-side apply `kubectl` or the name in `--field-manager`. Fields of objects outside the set are not adopted, except in
 * objects that lost the label in an interrupted takeover: there, from the usual managers of kubectl.
 */
export function adoptableMember(live: JsonObject, id: string, isResumed: boolean): AdoptableObject {
  const current = applySetOf(live);
  if (current === undefined) return { live, isAdoptable: (entry) => isResumed && isUsualManager(entry), removed: label };
  if (current !== id) return { live, isAdoptable: () => false };
  const owners = ownersOfName(live, 'labels', partOfLabel).filter(({ manager }) => !manager.startsWith('fieldwise/'));
  const isAdoptable = (entry: EntryIdentity) =>
    owners.some(({ manager, operation }) => manager === entry.manager && operation === entry.operation);
  return { live: withoutLabel(live), isAdoptable, removed: label };
}

function isUsualManager(entry: EntryIdentity): boolean {
  return isOfClientSideKubectl(entry) || (entry.operation === 'Apply' && entry.manager === 'kubectl');
}

function withoutLabel(live: JsonObject): JsonObject {
  const { labels = {}, ...metadata } = metadataOf(live);
  const { [partOfLabel]: _, ...left } = labels;
  const transfers = ownersOfName(live, 'labels', partOfLabel).map((from) => ({ from, fields: label }));
  return {
    ...live,
    metadata: {
      ...metadata,
      ...(Object.keys(left).length > 0 ? { labels: left } : {}),
      managedFields: entriesWithout(live, transfers),
    } as JsonObject,
  };
}
