import { type FieldSet, fieldSetOfPaths } from '../../fields/index.js';
import { once } from '../../util/once.js';

const metadata = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/**
 * Returns the fields that identify an object or that the server maintains; nobody ever owns them. `generateName`, labels and finalizers can
 * be owned.
 */
export const neverOwned: () => FieldSet = once(() => {
  const field = (name: string) => ({ kind: 'field', name }) as const;
  return fieldSetOfPaths([
    ...['apiVersion', 'kind', 'metadata'].map((name) => [field(name)]),
    ...metadata.map((name) => [field('metadata'), field(name)]),
  ]);
});
