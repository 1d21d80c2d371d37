import { isJsonObject, type JsonObject } from '../../util/json.js';
import { at, countAt, listAt, or, textAt, textsAt } from './cells.js';
import { ageColumn, type Column, createdColumn, flag, integer, kind, nameColumn, type TableKind, text } from './column.js';

const defaultMarks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

function classColumns(...columns: readonly Column[]): TableKind {
  const cell = (object: JsonObject): string => {
    const annotations = at(object, 'metadata.annotations');
    const isDefault = isJsonObject(annotations) && defaultMarks.some((mark) => annotations[mark] === 'true');
    return `${textAt(object, 'metadata.name')}${isDefault ? ' (default)' : ''}`;
  };
  return { columns: [{ ...nameColumn, cell }, ...columns] };
}

function audiences(driver: JsonObject): string {
  const names = listAt(driver, 'spec.tokenRequests').map((request) => textAt(request, 'audience'));
  return names.length === 0 ? '<unset>' : names.join(',');
}

export const storageTables: Readonly<Record<string, TableKind>> = {
  'storage.k8s.io/StorageClass': classColumns(
    text('Provisioner', 'provisioner'),
    text('ReclaimPolicy', 'reclaimPolicy', 'Delete'),
    text('VolumeBindingMode', 'volumeBindingMode', 'Immediate'),
    text('AllowVolumeExpansion', (object) => at(object, 'allowVolumeExpansion') ?? false),
    ageColumn,
  ),
  'storage.k8s.io/CSIDriver': kind(
    flag('AttachRequired', 'spec.attachRequired', true),
    flag('PodInfoOnMount', 'spec.podInfoOnMount'),
    flag('StorageCapacity', 'spec.storageCapacity'),
    text('TokenRequests', audiences),
    flag('RequiresRepublish', 'spec.requiresRepublish'),
    text('Modes', (driver) => or(textsAt(driver, 'spec.volumeLifecycleModes').join(','), '<none>')),
    ageColumn,
  ),
  'storage.k8s.io/CSINode': kind(
    integer('Drivers', (node) => countAt(node, 'spec.drivers')),
    ageColumn,
  ),
  'storage.k8s.io/CSIStorageCapacity': kind(createdColumn),
  'storage.k8s.io/VolumeAttachment': kind(
    { ...text('Attacher', 'spec.attacher'), format: 'name' },
    text('PV', 'spec.source.persistentVolumeName'),
    text('Node', 'spec.nodeName'),
    flag('Attached', 'status.attached'),
    ageColumn,
  ),
  'storage.k8s.io/VolumeAttributesClass': kind(text('DriverName', 'driverName'), ageColumn),
};
