import type { Step } from '../engine/graph/waves.js';
import { explain } from '../engine/run/explain.js';
import type { Takeover } from '../engine/transfer/takeovers.js';
import { provedFields, valueDiffers } from '../engine/transfer/transfer.js';
import { formatPath, isEmpty, membersOf } from '../fields/index.js';
import { applyEntryOf, entriesWithout } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';
import type { Judged } from './judge.js';

/** An object as it will be when fields of it were taken over. */
export interface Handed {
  readonly giver: string;
  readonly by: string;
  readonly object: JsonObject;
}

/** What a plan says of an intent that takes fields over, and what the giver will meet; `judged` is what it says of the intent alone. */
export function withTakeover(step: Step, takeover: Takeover, judged: Judged): { readonly judged: Judged; readonly handed?: Handed } {
  const { verdict, after } = judged;
  const { giver, isMeant } = takeover;
  const differing = verdict.fields.filter(({ field, change, owners = [] }) => {
    const contested = change === 'take' || change === 'conflict' || change === 'yield';
    return contested && isMeant(field) && owners.some(({ manager, operation }) => manager === giver && operation === 'Apply');
  });
  if (differing.length > 0) {
    const error = explain(
      valueDiffers(
        step.intent,
        giver,
        differing.map(({ field }) => field),
      ),
    );
    return { judged: { verdict: { ...verdict, action: 'blocked', error } } };
  }
  if (after === undefined) return { judged };
  const given = provedFields(after, step, giver, takeover);
  const theirs = applyEntryOf(after, giver);
  if (isEmpty(given) || theirs === undefined) return { judged };
  const managedFields = entriesWithout(after, [{ from: theirs, fields: given }]);
  const fields = membersOf(given)
    .filter(({ leaf }) => leaf)
    .map(({ path }) => formatPath(path));
  return {
    judged: { verdict: { ...verdict, action: 'update', tookOver: { from: giver, fields } }, after },
    handed: { giver, by: step.stack.name, object: { ...after, metadata: { ...(after.metadata as JsonObject), managedFields } } },
  };
}
