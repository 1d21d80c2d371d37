import type { JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField } from '../../api/field-error.js';

/**
 * The sources of a volume in the order in which the server checks them, with their names in messages, two of which differ.
 * Source: observed.
 */
const sources: Readonly<Record<string, string>> = {
  emptyDir: 'emptyDir',
  hostPath: 'hostPath',
  gitRepo: 'gitRepo',
  gcePersistentDisk: 'gcePersistentDisk',
  awsElasticBlockStore: 'awsElasticBlockStore',
  secret: 'secret',
  nfs: 'nfs',
  iscsi: 'iscsi',
  glusterfs: 'glusterfs',
  flocker: 'flocker',
  persistentVolumeClaim: 'persistentVolumeClaim',
  rbd: 'rbd',
  cinder: 'cinder',
  cephfs: 'cephFS',
  quobyte: 'quobyte',
  downwardAPI: 'downwarAPI',
  fc: 'fc',
  configMap: 'configMap',
  azureFile: 'azureFile',
  vsphereVolume: 'vsphereVolume',
  photonPersistentDisk: 'photonPersistentDisk',
  portworxVolume: 'portworxVolume',
  azureDisk: 'azureDisk',
  storageos: 'storageos',
  projected: 'projected',
  scaleIO: 'scaleIO',
  csi: 'csi',
  ephemeral: 'ephemeral',
  image: 'image',
};

/** Validates that a volume has only one source. */
export function sourceErrors(volume: JsonObject, at: string): readonly FieldError[] {
  const [, ...others] = Object.keys(sources).filter((name) => volume[name] !== undefined);
  return others.map((name) => forbiddenField(`${at}.${sources[name]}`, 'may not specify more than 1 volume type'));
}
