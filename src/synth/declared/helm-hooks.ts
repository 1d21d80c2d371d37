import { ApiObject } from 'cdk8s';
import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { LintDiagnostic } from '../lint/lint-diagnostic.js';
import { identityOf } from '../merge/merge-stack.js';
import type { Declared, DeclaredStack } from './declared.js';

/** The context key that decides about Helm hooks in cdk8s constructs: `skip` (default), `apply` like any object, or `refuse`. */
export const helmHooks = 'helmHooks';

const choices = ['skip', 'apply', 'refuse'];

/**
 * Removes the hook objects of Helm charts from the declarations of cdk8s constructs: Helm creates them at certain moments (before an
 * install, as a test) and deletes them; applied like other objects, they would run immediately and stay. Reports each one as a warning.
 * Source: Helm documentation, "Chart Hooks".
 */
export function withoutHelmHooks(
  stacks: readonly DeclaredStack[],
  diagnostics: LintDiagnostic[],
  collector: DiagnosticCollector,
): readonly DeclaredStack[] {
  return stacks.map((stack) => {
    const declared = stack.declared.filter((one) => {
      const hook = hookOf(one);
      const choice = hook === undefined ? 'apply' : collector.attempt(() => choiceFor(one, hook));
      if (hook !== undefined && choice === 'skip') diagnostics.push(skippedHook(one, stack.name, hook));
      return choice === 'apply';
    });
    return declared.length === stack.declared.length ? stack : { ...stack, declared };
  });
}

function hookOf({ construct, object: { metadata } }: Declared): string | undefined {
  const hook = isJsonObject(metadata.annotations) ? metadata.annotations['helm.sh/hook'] : undefined;
  return typeof hook === 'string' && ApiObject.isApiObject(construct) ? hook : undefined;
}

function choiceFor({ construct, location, object }: Declared, hook: string): string {
  const choice: unknown = construct.node.tryGetContext(helmHooks) ?? 'skip';
  if (typeof choice !== 'string' || !choices.includes(choice)) {
    throw new FieldwiseError('construct-invalid', 'usage', `The context value ${helmHooks} is ${JSON.stringify(choice)}`, {
      location,
      next: `Set it to one of ${choices.join(', ')}.`,
    });
  }
  if (choice !== 'refuse') return choice;
  throw new FieldwiseError('helm-hook-refused', 'usage', `${objectText(identityOf(object))} is a Helm hook (${hook})`, {
    location,
    next: `Remove it from the chart, or set the context value ${helmHooks} to skip or apply.`,
  });
}

function skippedHook({ construct, location, object }: Declared, stack: string, hook: string): LintDiagnostic {
  const text = objectText(identityOf(object));
  return {
    diagnostic: {
      code: 'helm-hook-skipped',
      message: `${text} is a Helm hook (${hook}) and is left out, because Fieldwise does not run hooks. To apply it like any object, set the context value ${helmHooks} to apply.`,
      stack,
      object: text,
      ...location,
    },
    constructs: [construct],
  };
}
