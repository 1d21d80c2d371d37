import { metadataOf, nameOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { type ControllerContext, controllerReference } from './controller-context.js';
import { hashOf } from './pod-template.js';

/** Label of a ControllerRevision of a DaemonSet, and of the pods of a revision. */
export const revisionLabel = 'controller-revision-hash';

/** Returns the revision with the template of a StatefulSet or DaemonSet; it is created if there is none. */
export async function ensureRevision(context: ControllerContext, workload: JsonObject): Promise<JsonObject> {
  const all = context.controlled('ControllerRevision', workload);
  const newest = Math.max(0, ...all.map(numberOf));
  const template = structOf(structOf(workload.spec).template);
  const data: JsonObject = { spec: { template: { ...template, $patch: 'replace' } } };
  const found = all.find((revision) => jsonEqual(revision.data, data));
  if (found !== undefined) {
    return numberOf(found) === newest ? found : context.update('ControllerRevision', { ...found, revision: newest + 1 });
  }
  const { namespace = '', annotations } = metadataOf(workload);
  const { hash, name, existing } = freeName(context, workload, data);
  if (existing !== undefined) return existing;
  const hashLabel = workload.kind === 'DaemonSet' ? revisionLabel : 'controller.kubernetes.io/hash';
  return context.create('ControllerRevision', {
    metadata: {
      name,
      namespace,
      ...(annotations === undefined ? {} : { annotations }),
      labels: { ...structOf(memberAt(template, 'metadata.labels')), [hashLabel]: hash },
      ownerReferences: [controllerReference(workload)],
    },
    data,
    revision: newest + 1,
  });
}

/**
 * Returns a name that no revision has, or the one of a revision of somebody else with the same data. A StatefulSet and a DaemonSet of the same
 * name and template have revisions with two names. Source: observed of a kube-controller-manager.
 */
function freeName(context: ControllerContext, workload: JsonObject, data: JsonObject): FreeName {
  const hashed = workload.kind === 'DaemonSet' ? structOf(structOf(workload.spec).template) : data;
  for (let collisions = 0; ; collisions++) {
    const hash = hashOf(hashed, collisions);
    const name = `${nameOf(workload)}-${hash}`;
    const existing = context.get('ControllerRevision', metadataOf(workload).namespace ?? '', name);
    if (existing === undefined || jsonEqual(existing.data, data)) return { hash, name, existing };
  }
}

interface FreeName {
  readonly hash: string;
  readonly name: string;
  readonly existing: JsonObject | undefined;
}

const numberOf = ({ revision }: JsonObject): number => (typeof revision === 'number' ? revision : 0);

/** Deletes the oldest revisions that no pod has and that the history does not keep. */
export async function cleanUpRevisions(context: ControllerContext, workload: JsonObject, used: ReadonlySet<string>): Promise<void> {
  const limit = memberAt(workload, 'spec.revisionHistoryLimit');
  const unused = context.controlled('ControllerRevision', workload).filter((revision) => !used.has(nameOf(revision)));
  const surplus = unused
    .toSorted((left, right) => numberOf(left) - numberOf(right))
    .slice(0, Math.max(0, unused.length - Number(limit ?? 10)));
  for (const revision of surplus) await context.delete('ControllerRevision', revision);
}
