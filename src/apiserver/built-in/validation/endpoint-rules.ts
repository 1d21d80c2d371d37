import { isIP } from 'node:net';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { labelValueErrors, qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, tooMany, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { labelErrors, portNumberErrors, subdomainErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { addressErrors, canonicalErrors, specialAddressErrors } from './address-rules.js';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** Validates Endpoints. Source: Kubernetes API reference, Endpoints; messages as observed. */
export function endpointsErrors({ subsets }: JsonObject): readonly FieldError[] {
  return listOf(subsets).flatMap((subset, index) => {
    const at = `subsets[${index}]`;
    const [ready, notReady, ports] = [subset.addresses, subset.notReadyAddresses, subset.ports].map(listOf) as [
      readonly JsonObject[],
      readonly JsonObject[],
      readonly JsonObject[],
    ];
    return [
      ...(ready.length + notReady.length === 0 ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...ready.flatMap((address, number) => endpointAddressErrors(address, `${at}.addresses[${number}]`)),
      ...notReady.flatMap((address, number) => endpointAddressErrors(address, `${at}.notReadyAddresses[${number}]`)),
      ...ports.flatMap((port, number) => portErrors(port, `${at}.ports[${number}]`, ports.length > 1)),
    ];
  });
}

function endpointAddressErrors({ ip, hostname, nodeName }: JsonObject, at: string): readonly FieldError[] {
  const address = String(ip ?? '');
  const errors = addressErrors(`${at}.ip`, address);
  const isUnreadable = isIP(address) === 0 && errors.every(({ detail }) => detail?.startsWith('must be a valid'));
  return [
    ...errors,
    ...(hostname ? labelErrors(`${at}.hostname`, String(hostname)) : []),
    ...(typeof nodeName === 'string' ? subdomainErrors(`${at}.nodeName`, nodeName) : []),
    ...(isUnreadable ? [invalidValue(`${at}.ip`, address, 'must be a valid IP address')] : specialAddressErrors(`${at}.ip`, address)),
  ];
}

function portErrors({ name, port, protocol, appProtocol }: JsonObject, at: string, isNameRequired: boolean): readonly FieldError[] {
  return [
    ...(name ? labelErrors(`${at}.name`, String(name)) : isNameRequired ? [required(`${at}.name`)] : []),
    ...portNumberErrors(`${at}.port`, port ?? 0),
    ...protocolErrors(protocol ?? '', at),
    ...appProtocolErrors(appProtocol, at),
  ];
}

function protocolErrors(protocol: Json, at: string): readonly FieldError[] {
  return protocols.includes(String(protocol)) ? [] : [unsupported(`${at}.protocol`, protocol, protocols)];
}

function appProtocolErrors(appProtocol: Json | undefined, at: string): readonly FieldError[] {
  if (typeof appProtocol !== 'string') return [];
  return qualifiedNameErrors(appProtocol).map((text) => invalidValue(`${at}.appProtocol`, appProtocol, text));
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const maxAddresses = 100;
const maxHints = 8;

/** Validates an EndpointSlice. Source: Kubernetes documentation "EndpointSlices"; messages as observed. */
export function endpointSliceErrors(slice: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const { addressType, ports } = slice;
  const isSame = update !== undefined && jsonEqual(slice.endpoints ?? null, update.live.endpoints ?? null);
  const endpoints = isSame ? [] : listOf(slice.endpoints);
  if (!addressType) return [required('addressType')];
  if (!addressTypes.includes(String(addressType))) return [unsupported('addressType', addressType, addressTypes)];
  const repeats = repeatsOf(listOf(ports).map(({ name }) => name ?? ''));
  return [
    ...listOf(ports).flatMap(({ name, protocol, appProtocol }, index) => [
      ...(name ? labelErrors(`ports[${index}].name`, String(name)) : []),
      ...(repeats[index] ? [duplicate(`ports[${index}].name`, name ?? '')] : []),
      ...protocolErrors(protocol ?? '', `ports[${index}]`),
      ...appProtocolErrors(appProtocol, `ports[${index}]`),
    ]),
    ...endpoints.flatMap((endpoint, index) => endpointErrors(endpoint, `endpoints[${index}]`, String(addressType))),
  ];
}

function endpointErrors({ addresses, nodeName, hostname, hints }: JsonObject, at: string, type: string): readonly FieldError[] {
  const texts = Array.isArray(addresses) ? addresses.map(String) : [];
  return [
    ...(texts.length === 0 ? [required(`${at}.addresses`, 'must contain at least 1 address')] : []),
    ...countErrors(`${at}.addresses`, texts.length, maxAddresses),
    ...texts.flatMap((text, index) => sliceAddressErrors(text, `${at}.addresses`, index, type)),
    ...(typeof nodeName === 'string' ? subdomainErrors(`${at}.nodeName`, nodeName) : []),
    ...(typeof hostname === 'string' ? labelErrors(`${at}.hostname`, hostname) : []),
    ...hintErrors(structOf(hints), `${at}.hints`),
  ];
}

function countErrors(field: string, count: number, most: number): readonly FieldError[] {
  return count > most ? [tooMany(field, count, most)] : [];
}

function sliceAddressErrors(text: string, list: string, index: number, type: string): readonly FieldError[] {
  const field = `${list}[${index}]`;
  if (type === 'FQDN') {
    const errors = subdomainErrors(field, text);
    const isShort = errors.length === 0 && !text.includes('.');
    return isShort ? [invalidValue(field, text, 'should be a domain with at least two segments separated by dots')] : errors;
  }
  const errors = [...addressErrors(field, text), ...canonicalErrors(field, text)];
  if (errors.length > 0) return errors;
  const isOther = `IPv${isIP(text)}` !== type;
  return [...(isOther ? [invalidValue(list, text, `must be an ${type} address`)] : []), ...specialAddressErrors(field, text)];
}

function hintErrors(hints: JsonObject, at: string): readonly FieldError[] {
  const lists = ['forZones', 'forNodes'].map(
    (member) => [`${at}.${member}`, listOf(hints[member]).map(({ name }) => String(name ?? ''))] as const,
  );
  const long = lists.find(([, names]) => names.length > maxHints);
  if (long !== undefined) return countErrors(long[0], long[1].length, maxHints);
  return lists.flatMap(([list, names], member) => {
    const repeats = repeatsOf(names);
    return names.flatMap((name, index) => {
      const field = `${list}[${index}].name`;
      if (repeats[index]) return [duplicate(field, name)];
      return member === 1 ? subdomainErrors(field, name) : labelValueErrors(name).map((text) => invalidValue(field, name, text));
    });
  });
}
