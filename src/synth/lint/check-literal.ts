import { objectText } from '../../assembly/index.js';
import { diagnosticsText, invalidIntent } from '../../builders/build.js';
import { ValueCheck, type ValueDiagnostic } from '../../builders/check-value.js';
import { membersFit } from '../../builders/surely-fits.js';
import { hiddenFields, isBuiltIn, type RootType, resolve } from '../../schema/index.js';
import type { Declared } from '../declared/declared.js';
import type { ImportedTypes } from '../declared/imported-types.js';
import type { ShippedTypes } from '../declared/shipped-types.js';
import type { KnownTypes } from '../declared/typed.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';
import { unknownKind } from './unknown-kind.js';

/** The schemas by which synth checks literals. */
export interface LiteralSchemas {
  /** The types of the program's builders, which win. */
  readonly known: KnownTypes;
  readonly shipped: ShippedTypes;
  /** The types of the project's imports, for kinds without a builder in the program. */
  readonly imported: ImportedTypes;
}

/** The results of other checks of an intent, and its strategy. */
export interface LiteralOptions {
  /** The client merges the intent: nulls and repeated items have a meaning. */
  readonly isDynamic: boolean;
  /** Repeated items are reported already. */
  readonly repeatedReported: boolean;
}

/**
 * Checks the declarations of an intent that are not builders, in the words of `build()`. Collects an error for each literal of the program.
 * Returns a warning for each literal with fields or enum values that only another version of Kubernetes may accept, and for each object of a
 * cdk8s construct or document: others wrote it, and its server decides (docs/decisions/50-literals-are-checked.md).
 */
export function checkLiteral(
  placed: StackIntent,
  { known, shipped, imported }: LiteralSchemas,
  options: LiteralOptions,
  collector: DiagnosticCollector,
): readonly LintDiagnostic[] {
  const { identity, declared } = placed.intent;
  const literals = declared.filter(({ root }) => root === undefined);
  if (literals.length === 0) return [];
  const ofProgram = known.root(identity.apiVersion, identity.kind);
  const { apiVersion, kind } = identity;
  const root = ofProgram ?? shipped.root(apiVersion, kind) ?? imported.root(apiVersion, kind);
  for (const literal of literals) checkUndefined(literal, root, placed, known, collector);
  if (root === undefined) return unknownKind(placed, { shipped, imported });
  return literals.flatMap((literal) => {
    const found = diagnosticsOf(literal, root).filter(({ reason }) => {
      if (reason === 'without-key') return literal.lifecycle !== 'share' || ofProgram === undefined; // see list-item-without-key
      if (reason === 'repeated') return !options.isDynamic && !options.repeatedReported;
      return reason !== 'null' || !options.isDynamic;
    });
    const mayFit = ({ reason }: ValueDiagnostic) => literal.byOthers || (reason === 'unknown' && isBuiltIn(root.apiVersion));
    const errors = found.filter((diagnostic) => !mayFit(diagnostic));
    if (errors.length > 0) collector.add(invalidIntent(errors, { object: objectText(identity), ...literal.location }));
    const warnings = found.filter(mayFit);
    return warnings.length > 0 ? [schemaNotMet(warnings, literal, placed)] : [];
  });
}

/** Collects an error for the keys without a value. Of a kind without a schema at hand, only those of labels and annotations are known to be keys. */
function checkUndefined(
  { written, location }: Declared,
  root: RootType | undefined,
  { intent }: StackIntent,
  known: KnownTypes,
  collector: DiagnosticCollector,
): void {
  if (written === undefined) return;
  const { schema, type } = known.typed(root);
  const check = new ValueCheck(schema, { root });
  check.checkRoot(Object.entries(written), type, new Map());
  const found = check.diagnostics.filter(({ reason }) => reason === 'undefined');
  if (found.length > 0) collector.add(invalidIntent(found, { object: objectText(intent.identity), ...location }));
}

function diagnosticsOf({ object }: Declared, root: RootType): readonly ValueDiagnostic[] {
  const { map } = resolve(root.schema, root.type);
  const hidden = hiddenFields(root);
  const showsHidden = hidden.size > 0 && Object.keys(object).some((name) => hidden.has(name));
  if (map && !showsHidden && membersFit(root.schema, object, map)) return []; // nearly all objects
  const check = new ValueCheck(root.schema, { root, exactIntegers: true });
  check.checkRoot(Object.entries(object), resolve(root.schema, root.type), hidden);
  return check.diagnostics;
}

function schemaNotMet(diagnostics: readonly ValueDiagnostic[], literal: Declared, placed: StackIntent): LintDiagnostic {
  const text = diagnosticsText(diagnostics);
  const intent = { ...placed.intent, declared: [literal] };
  return lintDiagnostic(
    'schema-not-met',
    `${objectText(intent.identity)} does not fit its schema, and the server probably rejects or changes it: ${text}${text.endsWith('?') ? '' : '.'}`,
    { ...placed, intent },
    (diagnostics[0] as ValueDiagnostic).path,
  );
}
