import type { Json, JsonObject } from '../../../util/json.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { labelErrors, subdomainErrors } from '../../api/name-rules.js';
import { pemBlocks } from './pem-rules.js';

/** Source: Kubernetes API reference, CertificateSigningRequestSpec. */
const knownUsages = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment', 'decipher only'],
  ...['digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel', 'ipsec user', 'key agreement'],
  ...['key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping'],
];

const requestType = 'CERTIFICATE REQUEST';

/** Validates the spec of a new CertificateSigningRequest. Source: its API reference; messages as observed. */
export function newSigningRequestErrors({ request = null, usages, signerName = '', expirationSeconds }: JsonObject): readonly FieldError[] {
  return [
    ...requestErrors(request),
    ...usageErrors(Array.isArray(usages) ? usages : []),
    ...signerErrors(String(signerName)),
    ...(typeof expirationSeconds === 'number' && expirationSeconds < 600
      ? [invalidValue('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
  ];
}

function requestErrors(request: Json): readonly FieldError[] {
  const [block] = pemBlocks(Buffer.from(String(request ?? ''), 'base64').toString('latin1'));
  const refuse = (detail: string) => [invalidValue('spec.request', request || null, detail)];
  if (block?.type !== requestType) return refuse(`PEM block type must be ${requestType}`);
  // A request is a SEQUENCE of ASN.1.
  return Buffer.from(block.content, 'base64')[0] === 0x30 ? [] : refuse("asn1: structure error: tags don't match");
}

function usageErrors(usages: readonly Json[]): readonly FieldError[] {
  const field = 'spec.usages';
  if (usages.length === 0) return [required(field)];
  const seen = new Set<Json>();
  const repeated: FieldError[] = [];
  for (const [index, usage] of usages.entries()) {
    if (seen.has(usage)) repeated.push(duplicate(`${field}[${index}]`, usage));
    seen.add(usage);
  }
  const unknown = usages.flatMap((usage, index) =>
    knownUsages.includes(String(usage)) ? [] : [unsupported(`${field}[${index}]`, usage, knownUsages)],
  );
  return [...unknown, ...repeated];
}

const maxSignerBytes = 571;

function signerErrors(signerName: string): readonly FieldError[] {
  const field = 'spec.signerName';
  if (signerName === '') return [required(field)];
  const refuse = (value: string, detail: string) => invalidValue(field, value, detail);
  const [domain = '', path, ...more] = signerName.split('/');
  if (path === undefined || more.length > 0)
    return [refuse(signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split('.');
  const errors = [
    ...labels.flatMap((label) => partErrors(labelErrors('', label), domain, label)),
    ...(labels.length < 2 ? [refuse(domain, 'should be a domain with at least two segments separated by dots')] : []),
    ...path.split('.').flatMap((part) => partErrors(subdomainErrors('', part), path, part)),
  ];
  if (Buffer.byteLength(signerName) > maxSignerBytes)
    errors.push({ type: 'tooLong', field, detail: `may not be more than ${maxSignerBytes} bytes` });
  if (signerName === 'kubernetes.io/legacy-unknown')
    errors.push(refuse(signerName, 'the legacy signerName is not allowed via this API version'));
  return errors;

  function partErrors(found: readonly FieldError[], whole: string, part: string): readonly FieldError[] {
    return found.map(({ detail = '' }) => refuse(whole, `validating label ${JSON.stringify(part)}: ${detail}`));
  }
}
