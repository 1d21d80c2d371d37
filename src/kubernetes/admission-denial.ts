import { ApiError } from './status.js';

/** A denial of a request in admission: by a policy or a webhook of the cluster, and not for lack of rights. */
export interface AdmissionDenial {
  /** The part that denies: `ValidatingAdmissionPolicy`, or `webhook`. */
  readonly by: 'policy' | 'webhook';
  /** The name of the policy or webhook. */
  readonly name: string;
  /** The binding of the policy, if the server names it. */
  readonly binding?: string;
  /** The object, such as `configmaps "web"`; only a policy names it. */
  readonly object?: string;
  /** The text of the policy or webhook; empty if it gives none. */
  readonly message: string;
}

/** Names are those of Kubernetes objects: without quotes, spaces and line breaks. */
const byPolicy =
  /^(?<object>[^\s"]+ "(?:[^"\\\n]|\\.)*") is forbidden: ValidatingAdmissionPolicy '(?<name>[^'\s]+)'(?: with binding '(?<binding>[^'\s]+)')? denied request: (?<message>[\s\S]*)$/;
const byWebhook = /^admission webhook "(?<name>[^"\s]+)" denied the request(?: without explanation|: (?<message>[\s\S]*))$/;

/**
 * Returns the denial that a server's response reports; undefined for all other errors. The status and the reason do not tell: the author of a policy
 * chooses `Forbidden`, `Unauthorized`, `Invalid` or `RequestEntityTooLarge`, and that of a webhook any. So the beginning of the message decides, which
 * the server writes; the texts of others come behind it.
 */
export function admissionDenialOf(error: unknown): AdmissionDenial | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const policy = byPolicy.exec(error.message)?.groups;
  if (policy !== undefined) {
    const { object = '', name = '', binding, message = '' } = policy;
    return { by: 'policy', name, ...(binding === undefined ? {} : { binding }), object, message };
  }
  const webhook = byWebhook.exec(error.message)?.groups;
  return webhook && { by: 'webhook', name: webhook.name ?? '', message: webhook.message ?? '' };
}
