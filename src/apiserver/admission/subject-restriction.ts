import type { JsonObject } from '../../util/json.js';
import { structOf } from '../api/json-access.js';
import { forbidden } from '../api/status-error.js';
import { pemBlocks } from '../built-in/validation/pem-rules.js';
import type { ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';

const signer = 'kubernetes.io/kube-apiserver-client';
const group = 'system:masters';

/**
 * Refuses a valid new CertificateSigningRequest for a client certificate of the group that every authorizer trusts.
 * Source: Kubernetes documentation "Admission Control", CertificateSubjectRestriction.
 *
 * @throws StatusError 403
 */
export function refuseMasters({ resource, name }: ObjectTarget, object: JsonObject): void {
  if (storeName(resource) !== 'certificates.k8s.io/certificatesigningrequests') return;
  const { signerName, request } = structOf(object.spec);
  if (signerName !== signer) return;
  const [block] = pemBlocks(Buffer.from(String(request), 'base64').toString('latin1'));
  if (!organizationsOf(Buffer.from(block?.content ?? '', 'base64')).includes(group)) return;
  throw forbidden(resource, name, `use of ${signer} signer with ${group} group is not allowed`);
}

/** The attribute `organizationName` of a name, as an object identifier of ASN.1. Source: RFC 4519. */
const organizationName = '55040a';

/** Returns the organizations of the subject of a certification request in DER. Source: RFC 2986. */
function organizationsOf(request: Buffer): readonly string[] {
  const [info = nothing] = elements(elements(request)[0] ?? nothing);
  const subject = elements(info)[1] ?? nothing;
  const attributes = elements(subject).flatMap(elements).map(elements);
  return attributes.flatMap(([type, value]) => (type?.toString('hex') === organizationName && value ? [value.toString('utf8')] : []));
}

const nothing = Buffer.alloc(0);

/** Returns the contents of the elements that follow each other in DER; those after a broken one are left out. Source: ITU-T X.690. */
function elements(content: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 2 <= content.length; ) {
    const first = content.readUInt8(at + 1);
    // The length, or with its high bit set, the number of bytes that hold it.
    const size = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + size;
    if (size > 4 || start > content.length) return found;
    const end = start + (size === 0 ? first : content.readUIntBE(at + 2, size));
    if (end > content.length) return found;
    found.push(content.subarray(start, end));
    at = end;
  }
  return found;
}
