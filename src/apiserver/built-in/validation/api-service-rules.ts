import { metadataOf } from '../../../fields/object.js';
import { composedName } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { label1035Texts, portNumberErrors, subdomainErrors } from '../../api/name-rules.js';

/** Validates an APIService. Source: Kubernetes API reference, APIService; messages as observed. */
export function apiServiceErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { group = '', version = '' } = spec;
  return [
    ...nameErrors(object),
    ...(group === '' && version !== 'v1' ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')] : []),
    ...(group === '' ? [] : subdomainErrors('spec.group', String(group))),
    ...label1035Texts(String(version)).map((text) => invalidValue('spec.version', version, text)),
    ...priorityErrors('spec.groupPriorityMinimum', spec.groupPriorityMinimum, 20000),
    ...priorityErrors('spec.versionPriority', spec.versionPriority, 1000),
    ...(isJsonObject(spec.service) ? serviceErrors(spec.service, spec) : localErrors(spec)),
  ];
}

function nameErrors({ metadata, spec }: JsonObject): readonly FieldError[] {
  const { name } = metadataOf({ metadata: metadata as Json });
  const wanted = composedName('apiregistration.k8s.io', 'APIService', { version: '', group: '', ...structOf(spec) });
  if (name === wanted) return [];
  return [invalidValue('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`)];
}

function priorityErrors(field: string, value: Json | undefined, most: number): readonly FieldError[] {
  const fits = typeof value === 'number' && value > 0 && value <= most;
  return fits ? [] : [invalidValue(field, value ?? 0, `must be positive and less than ${most}`)];
}

function serviceErrors({ namespace, name, port = 443 }: JsonObject, spec: JsonObject): readonly FieldError[] {
  const isUnsafe = spec.insecureSkipTLSVerify === true && Boolean(spec.caBundle);
  return [
    ...(namespace ? [] : [required('spec.service.namespace')]),
    ...(name ? [] : [required('spec.service.name')]),
    ...portNumberErrors('spec.service.port', port).map((error) => ({ ...error, detail: `port is not valid: ${error.detail}` })),
    ...(isUnsafe ? [invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')] : []),
  ];
}

/** Validates an APIService that this server itself serves. */
function localErrors({ caBundle, insecureSkipTLSVerify }: JsonObject): readonly FieldError[] {
  const size = Buffer.byteLength(String(caBundle ?? ''), 'base64');
  return [
    ...(size > 0 ? [invalidValue('spec.caBundle', `${size} bytes`, 'local APIServices may not have a caBundle')] : []),
    ...(insecureSkipTLSVerify === true
      ? [invalidValue('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ];
}
