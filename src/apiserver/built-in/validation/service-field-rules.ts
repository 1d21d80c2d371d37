import { isIP } from 'node:net';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, portNameErrors, subdomainErrors } from '../../api/name-rules.js';
import { mapErrors } from '../../registry/metadata-rules.js';
import { rangeErrors } from './address-rules.js';

const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
const keptText = 'may not change once set';
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

/** Validates the members of a Service that other members allow. Source: Kubernetes API reference, ServiceSpec; messages as observed. */
export function serviceFieldErrors(spec: JsonObject): readonly FieldError[] {
  const { type, externalName, trafficDistribution, healthCheckNodePort } = spec;
  const isLocal = type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
  return [
    ...(types.includes(String(type)) ? [] : [unsupported('spec.type', type, types)]),
    ...(type === 'ExternalName' ? externalNameErrors(String(externalName ?? '')) : []),
    ...mapErrors('spec.selector', spec.selector, true),
    ...listOf(spec.ports).flatMap(portTextErrors),
    ...affinityErrors(spec),
    ...balancerErrors(spec),
    ...(healthCheckNodePort && !isLocal
      ? [
          invalidValue(
            'spec.healthCheckNodePort',
            healthCheckNodePort,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]
      : []),
    ...(typeof trafficDistribution === 'string' && !distributions.includes(trafficDistribution)
      ? [unsupported('spec.trafficDistribution', trafficDistribution, distributions)]
      : []),
  ];
}

function externalNameErrors(name: string): readonly FieldError[] {
  return name === '' ? [required('spec.externalName')] : subdomainErrors('spec.externalName', name.replace(/\.$/, ''));
}

function portTextErrors({ name, targetPort }: JsonObject, index: number): readonly FieldError[] {
  return [
    ...(name ? labelErrors(`spec.ports[${index}].name`, String(name)) : []),
    ...(typeof targetPort === 'string' && targetPort !== '' ? portNameErrors(`spec.ports[${index}].targetPort`, targetPort) : []),
  ];
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig }: JsonObject): readonly FieldError[] {
  const { timeoutSeconds } = structOf(structOf(sessionAffinityConfig).clientIP);
  if (sessionAffinity !== 'ClientIP' || typeof timeoutSeconds !== 'number' || (timeoutSeconds > 0 && timeoutSeconds <= 86_400)) return [];
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [invalidValue(field, timeoutSeconds, 'must be greater than 0 and less than 86400')];
}

function balancerErrors(spec: JsonObject): readonly FieldError[] {
  const { loadBalancerClass } = spec;
  const ranges = (spec.loadBalancerSourceRanges ?? []) as readonly Json[];
  if (spec.type !== 'LoadBalancer') {
    return [
      ...(ranges.length > 0 ? [forbiddenField('spec.LoadBalancerSourceRanges', onlyBalancers)] : []),
      ...(spec.allocateLoadBalancerNodePorts !== undefined ? [forbiddenField('spec.allocateLoadBalancerNodePorts', onlyBalancers)] : []),
      ...(loadBalancerClass !== undefined ? [forbiddenField('spec.loadBalancerClass', onlyBalancers)] : []),
    ];
  }
  const classTexts = typeof loadBalancerClass === 'string' ? qualifiedNameErrors(loadBalancerClass) : [];
  return [
    ...ranges.flatMap((range, index) => rangeErrors(`spec.LoadBalancerSourceRanges[${index}]`, String(range).trim())),
    ...classTexts.map((text) => invalidValue('spec.loadBalancerClass', loadBalancerClass, text)),
  ];
}

const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Validates the annotation that the source ranges of a load balancer replace. */
export function sourceRangeErrors(annotations: JsonObject, { type, loadBalancerSourceRanges }: JsonObject): readonly FieldError[] {
  const text = annotations[sourceRanges];
  const isIgnored = Array.isArray(loadBalancerSourceRanges) && loadBalancerSourceRanges.length > 0;
  if (typeof text !== 'string' || isIgnored) return [];
  const field = `metadata.annotations[${sourceRanges}]`;
  if (type !== 'LoadBalancer') return [forbiddenField(field, onlyBalancers)];
  const value = text.trim();
  return value === '' ? [] : value.split(',').flatMap((range) => rangeErrors(field, range.trim()));
}

/** Validates what a Service may not change. */
export function serviceChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [address] = (spec.clusterIPs ?? []) as readonly Json[];
  const [addressBefore] = (before.clusterIPs ?? []) as readonly Json[];
  const hasAddress = spec.type !== 'ExternalName' && before.type !== 'ExternalName';
  if (hasAddress && addressBefore !== undefined && address !== undefined && address !== addressBefore)
    errors.push(invalidValue('spec.clusterIPs[0]', spec.clusterIPs, keptText));
  const isBalancer = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (isBalancer && !jsonEqual(spec.loadBalancerClass ?? null, before.loadBalancerClass ?? null))
    errors.push(invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, keptText));
  return errors;
}

/** Validates the addresses in the status of a Service. */
export function serviceStatusErrors({ spec, status }: JsonObject): readonly FieldError[] {
  const ingress = listOf(structOf(structOf(status).loadBalancer).ingress);
  if (ingress.length > 0 && structOf(spec).type !== 'LoadBalancer')
    return [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap(({ ip, ipMode, hostname }, index) => {
    const at = `status.loadBalancer.ingress[${index}]`;
    return [
      ...(ip && isIP(String(ip)) === 0 ? [invalidValue(`${at}.ip`, ip, addressText)] : []),
      ...(ipMode !== undefined && !ip ? [forbiddenField(`${at}.ipMode`, 'may not be specified when `ip` is not set')] : []),
      ...(ipMode !== undefined && ip && ipMode !== 'VIP' && ipMode !== 'Proxy'
        ? [unsupported(`${at}.ipMode`, ipMode, ['Proxy', 'VIP'])]
        : []),
      ...(hostname && isIP(String(hostname)) !== 0
        ? [invalidValue(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address')]
        : hostname
          ? subdomainErrors(`${at}.hostname`, String(hostname))
          : []),
    ];
  });
}
