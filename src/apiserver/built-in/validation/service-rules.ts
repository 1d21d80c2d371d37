import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf } from '../../api/json-access.js';
import { hasNodePorts, nodePortOf } from '../strategy/node-ports.js';
import { addressErrors, specialAddressErrors } from './address-rules.js';

/** Validates the addresses of a Service inside the cluster. */
function clusterAddressErrors({ clusterIP, clusterIPs }: JsonObject): readonly FieldError[] {
  const addresses = Array.isArray(clusterIPs) ? clusterIPs.map(String) : [];
  const at = 'spec.clusterIPs';
  if (clusterIP === undefined && addresses.length > 0)
    return [invalidValue(at, addresses, 'must be empty when `clusterIP` is not specified')];
  const [first, ...others] = addresses;
  return [
    ...(first === 'None' && others.length > 0 ? [invalidValue(at, addresses, "'None' must be the first and only value")] : []),
    ...addresses.flatMap((address, index) => (index === 0 && address === 'None' ? [] : addressErrors(`${at}[${index}]`, address))),
  ];
}

/** Validates the spec of a Service. Source: Kubernetes API reference, ServiceSpec; messages as observed. */
export function serviceErrors(spec: JsonObject): readonly FieldError[] {
  const ports = listOf(spec.ports);
  const errors: FieldError[] = [];
  const [address] = (spec.clusterIPs ?? []) as readonly Json[];
  if (spec.clusterIP !== undefined && address === undefined) errors.push(required('spec.clusterIPs'));
  errors.push(...clusterAddressErrors(spec));
  if (address === 'None' && hasNodePorts(spec))
    errors.push(invalidValue('spec.clusterIPs[0]', address, `may not be set to 'None' for ${String(spec.type)} services`));
  if (ports.length === 0 && address !== 'None' && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  const families = (spec.ipFamilies ?? []) as readonly Json[];
  for (const [index, family] of families.entries()) {
    if (family !== 'IPv4' && family !== 'IPv6') errors.push(unsupported(`spec.ipFamilies[${index}]`, family, ['IPv4', 'IPv6']));
    else if (families.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
  }
  const externalIPs = (spec.externalIPs ?? []) as readonly Json[];
  for (const [index, ip] of externalIPs.entries()) {
    const wrong = addressErrors(`spec.externalIPs[${index}]`, String(ip));
    errors.push(...(wrong.length > 0 ? wrong : specialAddressErrors(`spec.externalIPs[${index}]`, String(ip))));
  }
  const isReached = hasNodePorts(spec) || (spec.type === 'ClusterIP' && externalIPs.length > 0);
  if (spec.externalTrafficPolicy !== undefined && !isReached)
    errors.push(
      invalidValue('spec.externalTrafficPolicy', spec.externalTrafficPolicy, 'may only be set for externally-accessible services'),
    );
  const taken = new Set<string>();
  /** Returns true for a value that an earlier port has. */
  const isRepeated = (...value: readonly unknown[]) => {
    const key = value.map(String).join(' ');
    return taken.has(key) || taken.add(key).size === 0;
  };
  for (const [index, port] of ports.entries()) {
    if (ports.length > 1 && !port.name) errors.push(required(`spec.ports[${index}].name`));
    if (typeof port.port === 'number' && (port.port < 1 || port.port > 65535)) {
      errors.push(invalidValue(`spec.ports[${index}].port`, port.port, 'must be between 1 and 65535, inclusive'));
    }
    const nodePort = nodePortOf(port);
    if (nodePort !== 0 && spec.type === 'ClusterIP')
      errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    if (nodePort !== 0 && isRepeated('node', nodePort, port.protocol)) errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    const { targetPort, appProtocol } = port;
    if (typeof appProtocol === 'string')
      errors.push(...qualifiedNameErrors(appProtocol).map((text) => invalidValue(`spec.ports[${index}].appProtocol`, appProtocol, text)));
    if (typeof targetPort === 'number' && (targetPort < 1 || targetPort > 65535)) {
      errors.push(invalidValue(`spec.ports[${index}].targetPort`, targetPort, 'must be between 1 and 65535, inclusive'));
    }
    const name = port.name;
    if (name && isRepeated('name', name)) errors.push(duplicate(`spec.ports[${index}].name`, name));
    // The message shows the fields in the order of the Go struct.
    const { protocol = 'TCP', port: number } = port;
    const shownPort = { Name: '', Protocol: protocol, AppProtocol: null, Port: number as Json, TargetPort: 0, NodePort: 0 };
    if (isRepeated('port', number, protocol)) errors.push(duplicate(`spec.ports[${index}]`, shownPort));
  }
  return errors;
}
