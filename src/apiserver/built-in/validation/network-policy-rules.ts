import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { portNameErrors, portNumberErrors } from '../../api/name-rules.js';
import { isInsideRange, isRange, rangeErrors } from './address-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];
const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

/** Validates a NetworkPolicy. Source: Kubernetes documentation "Network Policies"; messages as observed. */
export function networkPolicyErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const types = Array.isArray(spec.policyTypes) ? (spec.policyTypes as readonly Json[]) : [];
  return [
    ...labelSelectorErrors(structOf(spec.podSelector), 'spec.podSelector'),
    ...directions.flatMap(([direction, peers]) =>
      listOf(spec[direction]).flatMap((rule, index) => [
        ...listOf(rule.ports).flatMap((port, number) => portErrors(port, `spec.${direction}[${index}].ports[${number}]`)),
        ...listOf(rule[peers]).flatMap((peer, number) => peerErrors(peer, `spec.${direction}[${index}].${peers}[${number}]`)),
      ]),
    ),
    ...(types.length > 2
      ? [invalidValue('spec.policyTypes', types as Json, 'may not specify more than two policyTypes')]
      : types.flatMap((type, index) =>
          policyTypes.includes(String(type)) ? [] : [unsupported(`spec.policyTypes[${index}]`, type, policyTypes)],
        )),
  ];
}

function portErrors({ protocol, port, endPort }: JsonObject, at: string): readonly FieldError[] {
  const isUnknown = protocol !== undefined && !protocols.includes(String(protocol));
  const ofPort =
    typeof port === 'string' ? portNameErrors(`${at}.port`, port) : port === undefined ? [] : portNumberErrors(`${at}.port`, port);
  return [
    ...(isUnknown ? [unsupported(`${at}.protocol`, protocol, protocols)] : []),
    ...ofPort,
    ...(typeof endPort === 'number' ? endPortErrors(endPort, port, `${at}.endPort`) : []),
  ];
}

function endPortErrors(endPort: number, port: Json | undefined, field: string): readonly FieldError[] {
  if (port === undefined) return [invalidValue(field, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port !== 'number') return [invalidValue(field, endPort, 'may not be specified when `port` is non-numeric')];
  // The message shows the port. Source: observed.
  const order = endPort < port ? [invalidValue(field, port, 'must be greater than or equal to `port`')] : [];
  return [...order, ...portNumberErrors(field, endPort)];
}

function peerErrors({ podSelector, namespaceSelector, ipBlock }: JsonObject, field: string): readonly FieldError[] {
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...labelSelectorErrors(structOf(podSelector), `${field}.podSelector`),
    ...labelSelectorErrors(structOf(namespaceSelector), `${field}.namespaceSelector`),
    ...(isJsonObject(ipBlock) ? blockErrors(ipBlock, `${field}.ipBlock`) : []),
    ...(selects && ipBlock !== undefined ? [forbiddenField(field, 'may not specify both ipBlock and another peer')] : []),
    ...(selects || ipBlock !== undefined ? [] : [required(field, 'must specify a peer')]),
  ];
}

function blockErrors({ cidr, except }: JsonObject, at: string): readonly FieldError[] {
  const range = String(cidr ?? '');
  if (range === '') return [required(`${at}.cidr`)];
  const errors = rangeErrors(`${at}.cidr`, range);
  if (!isRange(range)) return errors;
  const others = (Array.isArray(except) ? except.map(String) : []).flatMap((each, index) => {
    const field = `${at}.except[${index}]`;
    const wrong = rangeErrors(field, each);
    if (wrong.length > 0 || isInsideRange(each, range)) return wrong;
    return [invalidValue(field, each, 'must be a strict subset of `cidr`')];
  });
  return [...errors, ...others];
}
