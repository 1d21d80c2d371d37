import { expect, test } from 'vitest';
import { nullLists } from '../../../src/apiserver/built-in/convert/with-null-lists.js';
import { messageOfKind } from '../../../src/apiserver/http/protobuf/message.js';
import { kinds } from '../../../src/apiserver/http/protobuf/message-table.js';

type Message = NonNullable<ReturnType<typeof messageOfKind>>;

/** Lists of the Go types that JSON shows even if they are empty, by why they are not in the table: an empty one cannot be stored. */
const neverEmpty: Readonly<Record<string, readonly string[]>> = {
  'a server refuses an empty one': [
    'admissionregistration/v1.MutatingWebhook.admissionReviewVersions',
    'admissionregistration/v1.ValidatingWebhook.admissionReviewVersions',
    'apiextensions/v1.CustomResourceDefinitionSpec.versions',
    'apiextensions/v1.WebhookConversion.conversionReviewVersions',
    'batch/v1.PodFailurePolicyOnExitCodesRequirement.values',
    'batch/v1.SuccessPolicy.rules',
    'core/v1.CephFSPersistentVolumeSource.monitors',
    'core/v1.CephFSVolumeSource.monitors',
    'core/v1.NodeSelector.nodeSelectorTerms',
    'core/v1.PodSpec.containers',
    'core/v1.RBDPersistentVolumeSource.monitors',
    'core/v1.RBDVolumeSource.monitors',
    'core/v1.TopologySelectorLabelRequirement.values',
    'discovery/v1.Endpoint.addresses',
    'flowcontrol/v1.NonResourcePolicyRule.nonResourceURLs',
    'flowcontrol/v1.NonResourcePolicyRule.verbs',
    'flowcontrol/v1.PolicyRulesWithSubjects.subjects',
    'flowcontrol/v1.ResourcePolicyRule.apiGroups',
    'flowcontrol/v1.ResourcePolicyRule.resources',
    'flowcontrol/v1.ResourcePolicyRule.verbs',
    'networking/v1.HTTPIngressRuleValue.paths',
    'rbac/v1.PolicyRule.verbs',
  ],
  'the server alone writes it': [
    'apiextensions/v1.CustomResourceDefinitionStatus.conditions',
    'apiextensions/v1.CustomResourceDefinitionStatus.storedVersions',
  ],
};

const stored = Object.entries(kinds).flatMap(([apiVersion, names]) =>
  names.split(' ').flatMap((kind) => {
    const message = messageOfKind(apiVersion, kind);
    const isStored = message?.fields.some(
      ({ name, type }) => name === 'metadata' && typeof type !== 'string' && type.name === 'meta/v1.ObjectMeta',
    );
    return isStored && !/^(apidiscovery|authentication|authorization)\//.test(message!.name) ? [message!] : [];
  }),
);

/** Adds the shown lists of a message and of those that it contains. */
function shownLists(message: Message, found: Set<string>, seen: Set<string>): void {
  if (seen.has(message.name) || message.name.startsWith('meta/')) return;
  seen.add(message.name);
  for (const { name, label, shown, type } of message.fields) {
    if (label === 'list' && shown && /^\w/.test(name)) found.add(`${message.name}.${name}`);
    if (typeof type !== 'string') shownLists(type, found, seen);
  }
}

/** Returns the message that declares a field: the given one, or one whose members JSON has in its parent. */
function declaring(message: Message, name: string): Message | undefined {
  if (message.fields.some((field) => field.name === name)) return message;
  return message.fields
    .flatMap((field) => (field.name === '' ? [declaring(field.type as Message, name)] : []))
    .find((each) => each !== undefined);
}

function listAt(kind: string, path: string): string {
  let message = stored.findLast(({ name }) => name.endsWith(`.${kind}`)) as Message;
  const names = path.split('.').filter((name) => name !== '*');
  for (const [index, name] of names.entries()) {
    const owner = declaring(message, name);
    if (owner === undefined) throw new Error(`${kind} has no ${path}`);
    if (index === names.length - 1) return `${owner.name}.${name}`;
    message = owner.fields.find((field) => field.name === name)?.type as Message;
  }
  return '';
}

test('each list that JSON shows even if it is empty is null, or cannot be empty', () => {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const message of stored) shownLists(message, found, seen);
  const covered = Object.entries(nullLists).flatMap(([kind, paths]) => paths.map((path) => listAt(kind, path)));
  expect([...found].sort()).toEqual([...new Set([...covered, ...Object.values(neverEmpty).flat()])].sort());
});
