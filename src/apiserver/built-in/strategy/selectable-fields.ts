import type { SelectableFields } from '../../registry/field-selector.js';

const named = { 'metadata.name': '' };
const namespaced = { ...named, 'metadata.namespace': '' };
const notSupported = (label: string) => `field label not supported: ${label}`;
const texts = (prefix: string, ...names: string[]) => Object.fromEntries(names.map((name) => [prefix + name, '']));
const reference = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** Fields that a selector may name, of the kinds that have more than their name and namespace. Source: responses of a server. */
const selectableFields: Readonly<Record<string, SelectableFields>> = {
  'v1/events': {
    absent: { ...namespaced, ...texts('involvedObject.', ...reference), ...texts('', 'reason', 'reportingComponent', 'source', 'type') },
    paths: { source: ['source.component', 'reportingComponent'] },
    unknown: notSupported,
  },
  'events.k8s.io/v1/events': {
    absent: { ...namespaced, ...texts('regarding.', ...reference), ...texts('', 'reason', 'reportingController', 'type') },
    unknown: notSupported,
  },
  'v1/namespaces': { absent: { ...named, 'status.phase': '' }, unknown: notSupported },
  'v1/nodes': { absent: { ...named, 'spec.unschedulable': 'false' }, unknown: notSupported },
  'v1/pods': {
    absent: {
      ...namespaced,
      ...texts('spec.', 'nodeName', 'restartPolicy', 'schedulerName', 'serviceAccountName', 'host'),
      ...texts('status.', 'phase', 'podIP', 'podIPs', 'nominatedNodeName'),
      'spec.hostNetwork': 'false',
    },
    paths: { 'spec.host': ['spec.nodeName'] },
    unknown: notSupported,
  },
  'v1/replicationcontrollers': { absent: { ...namespaced, 'status.replicas': '0' }, unknown: notSupported },
  'v1/secrets': { absent: { ...namespaced, type: '' }, unknown: notSupported },
  'v1/services': { absent: { ...namespaced, 'spec.clusterIP': '', 'spec.type': '' }, unknown: notSupported },
  'batch/v1/jobs': {
    absent: { ...namespaced, 'status.successful': '0' },
    paths: { 'status.successful': ['status.succeeded'] },
    unknown: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  },
  'certificates.k8s.io/v1/certificatesigningrequests': { absent: { ...named, 'spec.signerName': '' }, unknown: notSupported },
  'resource.k8s.io/v1/resourceslices': {
    absent: { ...named, 'spec.driver': '', 'spec.nodeName': '' },
    unknown: (label) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${label}`,
  },
};

/** Returns the fields that a selector may name, by `APIVERSION/PLURAL`; undefined if they are the name and the namespace. */
export function selectableFieldsOf(resource: string): SelectableFields | undefined {
  return selectableFields[resource];
}
