import { objectText } from '../../assembly/identity.js';
import type { IntentPolicy, StackManifest } from '../../assembly/types.js';
import type { PlainIntent } from './dialect.js';

/** Returns sentences about what an intent says and neither Argo CD nor Flux does. */
export function lossesOf({ intent, yields }: PlainIntent, stack: StackManifest, title: string): readonly string[] {
  const object = objectText(intent);
  const { policy, lifecycle } = intent;
  const share = lifecycle === 'share';
  const failing = [
    ...(mayFail(policy.conflicts) ? [''] : []),
    ...Object.entries(policy.fields).flatMap(([path, { conflicts }]) =>
      conflicts !== undefined && mayFail(conflicts) ? [`${path} of `] : [],
    ),
  ];
  const lost: readonly (false | string)[] = [
    ...failing.map((field) => `\`conflicts: fail\` of ${field}${object}: ${title} forces every field that it applies.`),
    ...yields.fields.map(
      ({ text }) =>
        `A later value of ${text} of ${object}: ${title} leaves the field alone in an object that exists, whoever set it; the program yields it only while somebody else owns it.`,
    ),
    ...yields.alsoLeft.map(
      (text) => `The force for ${text} of ${object}: a rule for other fields covers it, so ${title} leaves it alone, too.`,
    ),
    ...releasesOf(policy).map(
      (name) => `\`releases: ${name}\` of ${object}: ${title} removes a field whose line has gone without a question.`,
    ),
    policy.waitFor !== undefined && `\`waitFor\` of ${object}: ${title} has its own rules for when an object is ready.`,
    policy.wait === false &&
      stack.intents.some((other) => other.policy.wait !== false) &&
      `\`wait: false\` of ${object}: ${title} waits for all objects or for none.`,
    policy.transferFrom !== undefined &&
      `\`transferFrom: ${policy.transferFrom.from}\` of ${object}: this manager keeps its fields until somebody ends its ownership.`,
    policy.strategy === 'dynamic' &&
      `\`strategy: dynamic\` of ${object}: the server merges, and lists without keys are replaced as a whole.`,
    share &&
      policy.ifAbsent !== 'create' &&
      `\`ifAbsent: ${policy.ifAbsent}\` of ${object}: ${title} creates an object that does not exist, with these fields alone.`,
    share &&
      `The release of the fields of ${object}: they stay when the program no longer declares them, because ${title} would delete the whole object.`,
    !share && policy.ifPresent !== undefined && `\`ifPresent: ${policy.ifPresent}\` of ${object}: ${title} takes an object that exists.`,
  ];
  return lost.filter((line) => line !== false);
}

function mayFail(conflicts: IntentPolicy['conflicts']): boolean {
  return typeof conflicts === 'string' ? conflicts === 'fail' : conflicts.otherwise === 'fail' || (conflicts.fail ?? []).length > 0;
}

function releasesOf({ releases, fields }: IntentPolicy): readonly string[] {
  const all = [releases, ...Object.values(fields).map((field) => field.releases)];
  return [...new Set(all.filter((name) => name !== undefined && name !== 'report'))] as string[];
}
