import { DocumentObject } from '../../app/document-object.js';
import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { LintDiagnostic } from '../lint/lint-diagnostic.js';
import { objectIdentity } from '../merge/merge-stack.js';
import type { Declared, DeclaredStack } from './declared.js';
import { isOrderedHook } from './helm-hook-events.js';

/**
 * The context key that decides about Helm hooks in cdk8s constructs: `skip` (default), `apply` like any object, or `refuse`. For documents,
 * the command line sets it to `skip`, `order` or `refuse`.
 */
export const helmHooks = 'helmHooks';

const choices = ['skip', 'apply', 'refuse'];
const documentChoices = ['skip', 'order', 'refuse'];

/**
 * Removes the hook objects of Helm charts from the declarations of cdk8s constructs and documents: Helm creates them at certain moments
 * (before an install, as a test) and deletes them; applied like other objects, they would run immediately and stay. Reports each one as a
 * warning. With `order`, the hooks of an install or upgrade remain, and their documents have phases.
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
      if (hook === undefined) return true;
      const choice = collector.attempt(() => choiceFor(one, hook));
      if (choice === 'order' && isOrderedHook(annotationsOf(one))) diagnostics.push(orderedHook(one, stack.name, hook));
      else if (choice === 'skip' || choice === 'order') diagnostics.push(skippedHook(one, stack.name, hook));
      return choice === 'apply' || (choice === 'order' && isOrderedHook(annotationsOf(one)));
    });
    return declared.length === stack.declared.length ? stack : { ...stack, declared };
  });
}

function annotationsOf({ object: { metadata } }: Declared) {
  return isJsonObject(metadata.annotations) ? metadata.annotations : {};
}

function hookOf(declared: Declared): string | undefined {
  const hook = annotationsOf(declared)['helm.sh/hook'];
  return typeof hook === 'string' && declared.byOthers ? hook : undefined;
}

function choiceFor({ construct, location, object }: Declared, hook: string): string {
  const choice: unknown = construct.node.tryGetContext(helmHooks) ?? 'skip';
  const isDocument = DocumentObject.isDocumentObject(construct);
  const known = isDocument ? documentChoices : choices;
  if (typeof choice !== 'string' || !known.includes(choice)) {
    throw new FieldwiseError('construct-invalid', 'usage', `The context value ${helmHooks} is ${JSON.stringify(choice)}`, {
      location,
      next: `Set it to one of ${known.join(', ')}.`,
    });
  }
  if (choice !== 'refuse') return choice;
  throw new FieldwiseError('helm-hook-refused', 'usage', `${objectText(objectIdentity(object))} is a Helm hook (${hook})`, {
    location,
    next: isDocument
      ? 'Remove it from the documents, or pass --helm-hooks skip or --helm-hooks order.'
      : `Remove it from the chart, or set the context value ${helmHooks} to skip or apply.`,
  });
}

function skippedHook(declared: Declared, stack: string, hook: string): LintDiagnostic {
  const isDocument = DocumentObject.isDocumentObject(declared.construct);
  const next = isDocument
    ? isOrderedHook(annotationsOf(declared))
      ? ' To apply the hooks of an install before and after the other objects, pass --helm-hooks order.'
      : ''
    : ` To apply it like any object, set the context value ${helmHooks} to apply.`;
  const why = isDocument ? 'is left out' : 'is left out, because Fieldwise does not run hooks';
  return hookDiagnostic('helm-hook-skipped', declared, stack, `is a Helm hook (${hook}) and ${why}.${next}`);
}

function orderedHook(declared: Declared, stack: string, hook: string): LintDiagnostic {
  const what = `is a Helm hook (${hook}): it is applied in its order, runs again only if it changes, and stays until it is no longer declared.`;
  return hookDiagnostic('helm-hook-ordered', declared, stack, what);
}

function hookDiagnostic(
  code: 'helm-hook-skipped' | 'helm-hook-ordered',
  { construct, location, object }: Declared,
  stack: string,
  what: string,
): LintDiagnostic {
  const text = objectText(objectIdentity(object));
  return { diagnostic: { code, message: `${text} ${what}`, stack, object: text, ...location }, constructs: [construct] };
}
