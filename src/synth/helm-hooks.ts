import { ApiObject } from 'cdk8s';
import { objectText } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject } from '../util/json.js';
import type { Declared, DeclaredStack } from './declared.js';
import type { DiagnosticCollector } from './diagnostic-collector.js';
import type { LintDiagnostic } from './lint/lint-diagnostic.js';
import { identityOf } from './merged-stack.js';

/** Context that says what becomes of Helm hooks in cdk8s constructs: `skip` (default), `apply` as any object, or `refuse`. */
export const helmHooks = 'helmHooks';

const choices = ['skip', 'apply', 'refuse'];

/**
 * Takes Helm's hook objects out of what cdk8s constructs declare: Helm runs them at moments of its own (before an install, as a test)
 * and deletes them, and applied like the others they would run at once and stay. Each one left out is a warning.
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
    throw new FieldwiseError('construct-invalid', 'usage', `The context ${helmHooks} is ${JSON.stringify(choice)}`, {
      location: location,
      next: `It is one of ${choices.join(', ')}.`,
    });
  }
  if (choice !== 'refuse') return choice;
  throw new FieldwiseError('helm-hook-refused', 'usage', `${objectText(identityOf(object))} is a Helm hook (${hook})`, {
    location: location,
    next: `Leave it out of the chart, or set the context ${helmHooks} to skip or apply.`,
  });
}

function skippedHook({ construct, location, object }: Declared, stack: string, hook: string): LintDiagnostic {
  const text = objectText(identityOf(object));
  return {
    diagnostic: {
      code: 'helm-hook-skipped',
      message: `${text} is a Helm hook (${hook}) and is left out: nothing here runs hooks. Set the context ${helmHooks} to apply to have it applied as any object.`,
      stack,
      object: text,
      ...location,
    },
    constructs: [construct],
  };
}
