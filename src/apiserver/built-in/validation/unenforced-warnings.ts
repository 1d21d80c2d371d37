import { metadataOf, nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { isJsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

const unenforced = 'is not enforced by the embedded API server';

/** Returns the warning about a ResourceQuota, which a real server enforces. */
export function unenforcedQuota(quota: JsonObject): readonly string[] {
  return [`ResourceQuota ${JSON.stringify(nameOf(quota))} ${unenforced}`];
}

/** Returns the warning about an APIService that names a Service, by which a real server serves its group. */
export function unenforcedApiService(apiService: JsonObject): readonly string[] {
  if (!isJsonObject(structOf(apiService.spec).service)) return [];
  return [`APIService ${JSON.stringify(nameOf(apiService))} ${unenforced}: no request reaches its Service`];
}

const podSecurity = 'pod-security.kubernetes.io/';
const modes = ['enforce', 'warn', 'audit'];

/** Returns a warning for each label of a Namespace by which a real server refuses Pods, or warns of them. */
export function unenforcedPodSecurity(namespace: JsonObject): readonly string[] {
  const labels = metadataOf(namespace).labels ?? {};
  return modes
    .map((mode) => `${podSecurity}${mode}`)
    .filter((label) => Object.hasOwn(labels, label) && labels[label] !== 'privileged')
    .map((label) => `label ${JSON.stringify(`${label}=${labels[label]}`)} of Namespace ${JSON.stringify(nameOf(namespace))} ${unenforced}`);
}
