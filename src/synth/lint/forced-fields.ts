import { declarationText } from '../../assembly/declaration-text.js';
import { objectText } from '../../assembly/index.js';
import { type Json, jsonEqual } from '../../util/json.js';
import { isSecretReference } from '../../util/secret-reference.js';
import { declaredFields, isAddress } from './declared-fields.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** Returns true if a stack takes a field from others by force, according to the effective policies. */
export type Forces = (placed: StackIntent, path: string) => boolean;

/** Yields a warning for each field that several stacks force to different values: each deploy takes it from the other stack. */
export function* forcedByTwo(intents: readonly StackIntent[], forces: Forces): Generator<LintDiagnostic> {
  if (intents.length < 2) return;
  const first = new Map<string, { readonly placed: StackIntent; readonly value: Json }>();
  const reported = new Set<string>();
  for (const placed of intents) {
    for (const { path, value, kind } of declaredFields(placed.intent.object, placed.intent.typed)) {
      // `atomic-list-contested` reports atomic lists and maps.
      if (kind !== 'whole' || isAddress(path) || (typeof value === 'object' && !isSecretReference(value))) continue;
      if (!forces(placed, path)) continue;
      const before = first.get(path);
      if (!before) first.set(path, { placed, value });
      else if (!reported.has(path) && !jsonEqual(before.value, value)) {
        reported.add(path);
        const [one, other] = [before.placed, placed].map(
          ({ stack, intent: { declared } }) => `${stack.name} (${declarationText(declared[0]!.location)})`,
        );
        const object = objectText(placed.intent.identity);
        yield lintDiagnostic(
          'field-forced-twice',
          `Stacks ${one} and ${other} declare different values for ${path} of ${object}, and both force it: each deploy takes it from the other stack. Declare it in only one of them, or set the policy \`conflicts: 'yield'\` for it in one of them.`,
          placed,
          path,
          { with: [before.placed] },
        );
      }
    }
  }
}
