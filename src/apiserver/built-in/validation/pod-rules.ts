import { isJsonObject, isNumber, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, subdomainErrors } from '../../api/name-rules.js';
import { rememberingValid } from '../../api/remembering-valid.js';
import { mapErrors } from '../../registry/metadata-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { addressErrors } from './address-rules.js';
import { containersErrors } from './container-rules.js';
import { dnsErrors } from './dns-rules.js';
import { podAnnotationErrors, profileMismatches } from './pod-annotation-rules.js';
import { unresizableErrors } from './pod-resize-rules.js';
import { podStatusErrors, podUpdateErrors } from './pod-update-rules.js';
import { resourceErrors } from './resource-rules.js';
import { schedulingErrors } from './scheduling-rules.js';
import { podSecurityErrors } from './security-context-rules.js';
import { volumeErrors } from './volume-rules.js';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const deadlineText = 'must be between 1 and 2147483647, inclusive';

/** Validates a Pod, or an update of one. Source: Kubernetes documentation "Pods"; messages as observed. */
export function podErrors(pod: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  if (update?.subresource === 'status') return podStatusErrors(pod, update.live);
  if (update?.subresource === 'resize') {
    const unresizable = unresizableErrors(update.live);
    if (unresizable.length > 0) return unresizable;
  }
  const spec = structOf(pod.spec);
  const { annotations } = structOf(pod.metadata);
  const errors = [...podAnnotationErrors(annotations, spec, 'metadata.annotations'), ...podSpecErrors(spec, 'spec'), ...imageErrors(spec)];
  if (update !== undefined) return [...errors, ...podUpdateErrors(pod, update)];
  const isGated = listOf(spec.schedulingGates).length > 0 && Boolean(spec.nodeName);
  return [
    ...errors,
    ...profileMismatches(annotations, spec, 'spec', false),
    ...(spec.ephemeralContainers === undefined ? [] : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
    ...(isGated ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')] : []),
  ];
}

function imageErrors(spec: JsonObject): readonly FieldError[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    listOf(spec[list]).flatMap(({ image = '' }, index) => {
      const text = 'must not have leading or trailing whitespace';
      return String(image).trim() === image ? [] : [invalidValue(`spec.${list}[${index}].image`, image, text)];
    }),
  );
}

/** Validates a pod template. */
export function podTemplateErrors(template: JsonObject, path: string): readonly FieldError[] {
  const spec = structOf(template.spec);
  const isEphemeral = listOf(spec.ephemeralContainers).length > 0;
  const { labels, annotations } = structOf(template.metadata);
  return [
    ...mapErrors(`${path}.labels`, labels, true),
    ...mapErrors(`${path}.annotations`, annotations, false),
    ...podAnnotationErrors(annotations, spec, `${path}.annotations`),
    ...podSpecErrors(spec, `${path}.spec`),
    ...profileMismatches(annotations, spec, `${path}.spec`, true),
    ...(isEphemeral ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')] : []),
  ];
}

const podSpecErrors = rememberingValid(allSpecErrors);

function allSpecErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const { restartPolicy, dnsPolicy, nodeName, serviceAccountName, hostname, subdomain, activeDeadlineSeconds: deadline } = pod;
  const isTooShort = isNumber(deadline) && (deadline < 1 || deadline > 2147483647);
  const { priorityClassName, runtimeClassName } = pod;
  return [
    ...volumeErrors(pod, path),
    ...claimErrors(pod, path),
    ...containersErrors(pod, path),
    ...(isJsonObject(pod.resources) ? wholeResourceErrors(pod, path) : []),
    ...choice(`${path}.restartPolicy`, restartPolicy, restartPolicies),
    ...choice(`${path}.dnsPolicy`, dnsPolicy, dnsPolicies),
    ...podSecurityErrors(pod, path),
    ...dnsErrors(pod, path),
    ...schedulingErrors(pod, path),
    ...(serviceAccountName ? subdomainErrors(`${path}.serviceAccountName`, String(serviceAccountName)) : []),
    ...(nodeName ? subdomainErrors(`${path}.nodeName`, String(nodeName)) : []),
    ...(isTooShort ? [invalidValue(`${path}.activeDeadlineSeconds`, deadline, deadlineText)] : []),
    ...(hostname ? labelErrors(`${path}.hostname`, String(hostname)) : []),
    ...(subdomain ? labelErrors(`${path}.subdomain`, String(subdomain)) : []),
    ...listOf(pod.hostAliases).flatMap((alias, index) => aliasErrors(alias, `${path}.hostAliases[${index}]`)),
    ...(priorityClassName ? subdomainErrors(`${path}.priorityClassName`, String(priorityClassName)) : []),
    ...(runtimeClassName ? subdomainErrors(`${path}.runtimeClassName`, String(runtimeClassName)) : []),
    ...osErrors(pod, path),
  ];
}

function choice(field: string, value: Json | undefined, choices: readonly string[]): readonly FieldError[] {
  return value === undefined || choices.includes(String(value)) ? [] : [unsupported(field, value, choices)];
}

function wholeResourceErrors(pod: JsonObject, path: string): readonly FieldError[] {
  return resourceErrors(structOf(pod.resources), `${path}.resources`, undefined);
}

function claimErrors(pod: JsonObject, path: string): readonly FieldError[] {
  return listOf(pod.resourceClaims).flatMap(({ name, resourceClaimName = null, resourceClaimTemplateName = null }, index) => {
    if ((resourceClaimName === null) !== (resourceClaimTemplateName === null)) return [];
    const shown = { Name: name as Json, ResourceClaimName: resourceClaimName, ResourceClaimTemplateName: resourceClaimTemplateName };
    const text =
      resourceClaimName === null
        ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
        : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    return [invalidValue(`${path}.resourceClaims[${index}]`, shown, text)];
  });
}

function aliasErrors({ ip, hostnames }: JsonObject, at: string): readonly FieldError[] {
  const names = Array.isArray(hostnames) ? (hostnames as readonly Json[]) : [];
  return [
    ...addressErrors(`${at}.ip`, String(ip ?? '')),
    ...names.flatMap((name, index) => subdomainErrors(`${at}.hostnames[${index}]`, String(name))),
  ];
}

function osErrors({ os }: JsonObject, path: string): readonly FieldError[] {
  if (os === undefined) return [];
  const { name } = structOf(os);
  return name ? choice(`${path}.os`, name, ['linux', 'windows']) : [required(`${path}.os.name`)];
}
