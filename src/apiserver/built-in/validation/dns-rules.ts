import type { Json, JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { searchPathErrors } from '../../api/name-rules.js';
import { addressErrors } from './address-rules.js';

/** The policy of a Pod that configures its DNS itself. */
const ownDns = 'None';
const [maxServers, maxPaths, maxLength] = [3, 32, 2048];

/** Validates how a Pod finds names. Source: Kubernetes documentation "DNS for Services and Pods"; messages as observed. */
export function dnsErrors({ dnsPolicy, dnsConfig }: JsonObject, path: string): readonly FieldError[] {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === ownDns && dnsConfig === undefined) return [required(at, `must provide \`dnsConfig\` when \`dnsPolicy\` is ${ownDns}`)];
  const { nameservers, searches, options } = structOf(dnsConfig);
  const servers = textsOf(nameservers);
  const isIncomplete = dnsPolicy === ownDns && servers.length === 0;
  const isFull = servers.length > maxServers;
  return [
    ...(isIncomplete ? [required(`${at}.nameservers`, `must provide at least one DNS nameserver when \`dnsPolicy\` is ${ownDns}`)] : []),
    ...(isFull ? [invalidValue(`${at}.nameservers`, nameservers, `must not have more than ${maxServers} nameservers`)] : []),
    ...servers.flatMap((server, index) => addressErrors(`${at}.nameservers[${index}]`, server)),
    ...searchErrors(searches, `${at}.searches`),
    ...listOf(options).flatMap(({ name }, index) => (name ? [] : [required(`${at}.options[${index}]`, 'must not be empty')])),
  ];
}

function searchErrors(searches: Json | undefined, at: string): readonly FieldError[] {
  const paths = textsOf(searches);
  const tooLong = `must not have more than ${maxLength} characters (including spaces) in the search list`;
  return [
    ...(paths.length > maxPaths ? [invalidValue(at, searches, `must not have more than ${maxPaths} search paths`)] : []),
    ...(paths.join(' ').length > maxLength ? [invalidValue(at, searches, tooLong)] : []),
    ...paths.flatMap((each, index) => searchPathErrors(`${at}[${index}]`, each)),
  ];
}

function textsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
