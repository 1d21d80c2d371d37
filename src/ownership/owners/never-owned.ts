import { type FieldSet, fieldSetOfPaths } from '../../fields/index.js';

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
export function neverOwned(): FieldSet {
  const field = (name: string) => ({ kind: 'field', name }) as const;
  made ??= fieldSetOfPaths([
    ...['apiVersion', 'kind', 'metadata'].map((name) => [field(name)]),
    ...metadata.map((name) => [field('metadata'), field(name)]),
  ]);
  return made;
}

let made: FieldSet | undefined;
