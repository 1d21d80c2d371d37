import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { structOf } from '../api/json-access.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import type { AdmissionAttributes } from './webhook.js';

interface DefaultClass {
  readonly member: string;
  readonly classes: string;
  readonly annotation: string;
}

const byResource: Readonly<Record<string, DefaultClass>> = {
  '/persistentvolumeclaims': {
    member: 'storageClassName',
    classes: 'storage.k8s.io/storageclasses',
    annotation: 'storageclass.kubernetes.io/is-default-class',
  },
  'networking.k8s.io/ingresses': {
    member: 'ingressClassName',
    classes: 'networking.k8s.io/ingressclasses',
    annotation: 'ingressclass.kubernetes.io/is-default-class',
  },
};

/**
 * Names the default class in a new claim or Ingress that names none; of several, the newest.
 * Source: Kubernetes documentation "Admission Control", DefaultStorageClass, DefaultIngressClass.
 */
export function withDefaultClass(
  { store }: Backend,
  { resource }: ObjectTarget,
  object: JsonObject,
  { operation }: AdmissionAttributes,
): JsonObject {
  const { member, classes, annotation } = byResource[storeName(resource)] as DefaultClass;
  const spec = structOf(object.spec);
  if (operation !== 'CREATE' || spec[member] !== undefined) return object;
  if (metadataOf(object).annotations?.['kubernetes.io/ingress.class'] !== undefined) return object;
  const age = (each: JsonObject) => String(metadataOf(each).creationTimestamp ?? '');
  const found = store
    .list(classes)
    .filter((each) => metadataOf(each).annotations?.[annotation] === 'true')
    .toSorted(
      (left, right) => age(right).localeCompare(age(left)) || String(metadataOf(left).name).localeCompare(metadataOf(right).name ?? ''),
    );
  const name = metadataOf(found[0]).name;
  return name === undefined ? object : { ...object, spec: { ...spec, [member]: name } };
}
