import { metadataOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

const controllerUid = 'batch.kubernetes.io/controller-uid';

/** Returns a new Job that selects its own Pods by labels of the server. Source: Kubernetes documentation "Jobs", "Specifying your own Pod selector". */
export function prepareNewJob(job: JsonObject, explicitEmpty: readonly string[]): JsonObject {
  const spec = structOf(job.spec);
  if (job.kind !== 'Job' || job.apiVersion !== 'batch/v1' || spec.manualSelector === true) return job;
  const metadata = metadataOf(job);
  const own = generatedLabels(job);
  const template = structOf(spec.template);
  const templateMetadata = structOf(template.metadata);
  const before = templateMetadata.labels;
  const merged = { ...own, ...structOf(before) };
  const labels = Object.fromEntries(Object.entries(merged).toSorted(([left], [right]) => (left < right ? -1 : 1))) as JsonObject;
  // A Job without labels has those of its template, whatever is added to them: its defaults made them one object. Source: observed.
  // The author may have given the template none, as `labels: {}`.
  const hasLabels = before !== undefined || explicitEmpty.includes('spec.template.metadata.labels');
  const isShared = hasLabels && (metadata.labels as Json | undefined) === before;
  const selector = structOf(spec.selector);
  const matchLabels = { ...structOf(selector.matchLabels), [controllerUid]: metadata.uid as Json };
  return {
    ...job,
    ...(isShared ? { metadata: { ...metadata, labels } } : {}),
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...templateMetadata, labels } },
    },
  };
}

/** Returns the labels of the server that the template of a Job has. */
export function generatedLabels(job: JsonObject): JsonObject {
  const { uid = '', name = '' } = metadataOf(job);
  return { [controllerUid]: uid, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, 'job-name': name };
}
