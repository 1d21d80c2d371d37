import { guardLabel } from '../../engine/guards/guard-manifest.js';
import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { StoppedManager } from './stopped-managers.js';

/** The facts about printed guards that an administrator reads before they are applied. */
export interface GuardFacts {
  readonly manifests: readonly JsonObject[];
  readonly untyped: readonly string[];
  readonly undefinedKinds: readonly string[];
  readonly deny: boolean;
  /** With `deny`: the managers that own guarded fields besides the stacks. */
  readonly stopped: readonly StoppedManager[];
  /** With `deny`: objects whose managers could not be read. */
  readonly unread: readonly string[];
}

/** Returns advice to an administrator about applying the printed guards, one line each. */
export function guardAdvice({ manifests, untyped, undefinedKinds, deny, stopped, unread }: GuardFacts): readonly string[] {
  const labels = [...new Set(manifests.flatMap((manifest) => metadataOf(manifest).labels?.[guardLabel] ?? []))].sort();
  return [
    deny
      ? 'These policies deny changes of guarded fields by others. Without --deny, they warn and write to the audit log.'
      : 'These policies warn of changes of guarded fields by others and write to the audit log. With --deny, they deny them.',
    'Print and apply them again when a stack declares other fields. To remove policies that are no longer printed, list those with these labels:',
    ...labels.map((label) => `  kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -l ${guardLabel}=${label}`),
    ...untyped.map((kind) => `The types of ${kind} are unknown: each of its lists is guarded as one value.`),
    ...undefinedKinds.map(
      (kind) =>
        `The CustomResourceDefinition of ${kind} cannot be read: a scale subresource that it has is not guarded. Print this as a user who may read it.`,
    ),
    ...sizeAdvice(manifests),
    ...(deny && stopped.length === 0 && unread.length === 0 ? ['No other manager owns a guarded field of the live objects.'] : []),
    ...stopped.map(({ manager, fields }) => `Stops ${manager}, unless its user is exempt: ${enumeration(fields)}`),
    ...(unread.length === 0 ? [] : [`Not read, so that their managers are unknown: ${enumeration(unread)}`]),
  ];
}

/** Warns of a policy that a server may refuse because of its size. */
function sizeAdvice(manifests: readonly JsonObject[]): readonly string[] {
  const policies = manifests.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const largest = Math.max(0, ...policies.map(({ spec }) => (isJsonObject(spec) ? JSON.stringify(spec).length : 0)));
  return largest > maxPolicyText ? [`The largest policy has ${largest} characters, and a server may refuse it.`] : [];
}

const maxPolicyText = 1_000_000;

function enumeration(texts: readonly string[]): string {
  const shown = texts.slice(0, 20).join('; ');
  return texts.length > 20 ? `${shown}; and ${texts.length - 20} more` : shown;
}
