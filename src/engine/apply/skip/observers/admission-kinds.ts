import { groupOf } from '../../../../util/api-version.js';

/** The group of the API that configures admission. */
export const admissionGroup = 'admissionregistration.k8s.io';

export const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

/** Kinds of policies; the kind of their bindings is the same with `Binding`. */
export const policyKinds = ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'] as const;

/** The resources that configure admission, by their kinds. */
export const admissionResources: ReadonlyMap<string, string> = new Map<string, string>([
  ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
  ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
  ['MutatingAdmissionPolicy', 'mutatingadmissionpolicies'],
  ['MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings'],
  ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies'],
  ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'],
]);

/** Returns true for an object by which a look at admission may come to another result: what configures admission, quotas, limits and Namespaces. */
export function concernsAdmission({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return groupOf(apiVersion) === admissionGroup || (apiVersion === 'v1' && coreKinds.has(kind));
}

const coreKinds: ReadonlySet<string> = new Set(['Namespace', 'ResourceQuota', 'LimitRange']);
