import { isTerminating } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { at, conditionOf, countAt, listAt, numberAt, or, someOf, textAt, textsAt } from './cells.js';
import { ageColumn, type Column, createdColumn, integer, kind, type TableKind, text, wide } from './column.js';
import { ageOf } from './duration.js';

function phaseOf(object: JsonObject): string {
  return isTerminating(object) ? 'Terminating' : textAt(object, 'status.phase');
}

function nodeStatus(node: JsonObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonObject): string {
  const labels = Object.entries((at(node, 'metadata.labels') ?? {}) as Readonly<Record<string, string>>);
  const roles = labels
    .map(([name, value]) => (name.startsWith(rolePrefix) ? name.slice(rolePrefix.length) : name === 'kubernetes.io/role' ? value : ''))
    .filter((role) => role !== '');
  return or([...new Set(roles)].toSorted().join(','), '<none>');
}

function nodeAddress(type: string): Column['cell'] {
  return (node) => {
    const address = listAt(node, 'status.addresses').find((candidate) => candidate.type === type);
    return address === undefined ? '<none>' : textAt(address, 'address');
  };
}

function kernelText(node: JsonObject): string {
  const version = textAt(node, 'status.nodeInfo.kernelVersion');
  const architecture = textAt(node, 'status.nodeInfo.architecture');
  if (version === '') return '<unknown>';
  return architecture === '' ? version : `${version} (${architecture})`;
}

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: JsonObject, path: string): string {
  const declared = textsAt(object, path);
  return Object.keys(modes)
    .filter((mode) => declared.includes(mode))
    .map((mode) => modes[mode])
    .join(',');
}

function storageClass(object: JsonObject): Json {
  const annotations = at(object, 'metadata.annotations');
  const legacy = isJsonObject(annotations) ? annotations['volume.beta.kubernetes.io/storage-class'] : undefined;
  return legacy ?? textAt(object, 'spec.storageClassName');
}

function claimText(volume: JsonObject): string {
  const claim = at(volume, 'spec.claimRef');
  return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
}

/** Returns a cell of a claim that is empty until the claim is bound. */
function ofBound(cell: (claim: JsonObject) => string): Column['cell'] {
  return (claim) => (textAt(claim, 'spec.volumeName') === '' ? '' : cell(claim));
}

function quotaText(quota: JsonObject, isLimit: boolean): string {
  const [hard, used] = [at(quota, 'status.hard'), at(quota, 'status.used')];
  if (!isJsonObject(hard)) return '';
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === isLimit)
    .toSorted()
    .map((name) => `${name}: ${String((isJsonObject(used) ? used[name] : undefined) ?? '0')}/${String(hard[name])}`)
    .join(', ');
}

function endpointsText(endpoints: JsonObject): string {
  const subsets = listAt(endpoints, 'subsets');
  if (subsets.length === 0) return '<none>';
  const texts = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = listAt(subset, 'ports');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) =>
      addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:${numberAt(port, 'port')}`),
    );
  });
  return someOf(texts, 3);
}

function eventObject(event: JsonObject): string {
  const [kindName, name] = [textAt(event, 'involvedObject.kind').toLowerCase(), textAt(event, 'involvedObject.name')];
  return name === '' ? kindName : `${kindName}/${name}`;
}

function eventSource(event: JsonObject): string {
  const component = or(textAt(event, 'source.component'), textAt(event, 'reportingComponent'));
  const instance = or(textAt(event, 'source.host'), textAt(event, 'reportingInstance'));
  return instance === '' ? component : `${component}, ${instance}`;
}

function lastSeen(event: JsonObject, now: number): string {
  const times = ['series.lastObservedTime', 'lastTimestamp', 'eventTime'].map((path) => textAt(event, path));
  return ageOf(
    times.find((time) => time !== ''),
    now,
  );
}

function firstSeen(event: JsonObject, now: number): string {
  return ageOf(or(textAt(event, 'firstTimestamp'), textAt(event, 'eventTime')), now);
}

function eventCount(event: JsonObject): number {
  return numberAt(event, 'series.count') || numberAt(event, 'count') || 1;
}

const eventName: Column = { name: 'Name', format: 'name', cell: (object) => textAt(object, 'metadata.name') };

/** The columns of an Event of the core group. */
export const eventTable: TableKind = {
  columns: [
    text('Last Seen', lastSeen),
    text('Type', 'type'),
    text('Reason', 'reason'),
    text('Object', eventObject),
    ...wide(text('Subobject', 'involvedObject.fieldPath'), text('Source', eventSource)),
    text('Message', (event) => textAt(event, 'message').trim()),
    ...wide(text('First Seen', firstSeen), text('Count', eventCount), eventName),
  ],
};

export const coreTables: Readonly<Record<string, TableKind>> = {
  '/ConfigMap': kind(
    text('Data', (object) => countAt(object, 'data') + countAt(object, 'binaryData')),
    ageColumn,
  ),
  '/Secret': kind(
    text('Type', 'type'),
    text('Data', (object) => countAt(object, 'data')),
    ageColumn,
  ),
  '/ServiceAccount': kind(ageColumn),
  '/Endpoints': kind(text('Endpoints', endpointsText), ageColumn),
  '/Event': eventTable,
  '/LimitRange': kind(createdColumn),
  '/Namespace': kind(text('Status', 'status.phase'), ageColumn),
  '/Node': kind(
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    ageColumn,
    text('Version', 'status.nodeInfo.kubeletVersion'),
    ...wide(
      text('Internal-IP', nodeAddress('InternalIP')),
      text('External-IP', nodeAddress('ExternalIP')),
      text('OS-Image', (node) => or(textAt(node, 'status.nodeInfo.osImage'), '<unknown>')),
      text('Kernel-Version', kernelText),
      text('Container-Runtime', (node) => or(textAt(node, 'status.nodeInfo.containerRuntimeVersion'), '<unknown>')),
    ),
  ),
  '/PersistentVolume': kind(
    text('Capacity', 'spec.capacity.storage', '0'),
    text('Access Modes', (volume) => accessModes(volume, 'spec.accessModes')),
    text('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
    text('Status', phaseOf),
    text('Claim', claimText),
    text('StorageClass', storageClass),
    text('VolumeAttributesClass', 'spec.volumeAttributesClassName', '<unset>'),
    text('Reason', 'status.reason'),
    ageColumn,
    ...wide(text('VolumeMode', 'spec.volumeMode', '<unset>')),
  ),
  '/PersistentVolumeClaim': kind(
    text('Status', phaseOf),
    text('Volume', 'spec.volumeName'),
    text(
      'Capacity',
      ofBound((claim) => textAt(claim, 'status.capacity.storage') || '0'),
    ),
    text(
      'Access Modes',
      ofBound((claim) => accessModes(claim, 'status.accessModes')),
    ),
    text('StorageClass', storageClass),
    text('VolumeAttributesClass', 'spec.volumeAttributesClassName', '<unset>'),
    ageColumn,
    ...wide(text('VolumeMode', 'spec.volumeMode', '<unset>')),
  ),
  '/ResourceQuota': kind(
    text('Request', (quota) => quotaText(quota, false)),
    text('Limit', (quota) => quotaText(quota, true)),
    ageColumn,
  ),
  'coordination.k8s.io/Lease': kind(text('Holder', 'spec.holderIdentity'), ageColumn),
  'node.k8s.io/RuntimeClass': kind(text('Handler', 'handler'), ageColumn),
};

/** Returns the columns of a Scale. */
export function scaleTable(custom: boolean): TableKind {
  const name: Column = { name: 'Name', format: custom ? 'name' : '', cell: (object) => textAt(object, 'metadata.name') };
  const age: Column = custom ? { ...ageColumn, type: 'date' } : ageColumn;
  return { columns: [name, integer('Desired', 'spec.replicas'), integer('Available', 'status.replicas'), age] };
}
