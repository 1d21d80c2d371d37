import { goFixed } from '../../util/go-double.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../api/field-error.js';
import type { Evaluator } from '../cel/compile.js';
import { estimateCost } from '../cel/cost/estimate.js';
import { unlimited } from '../cel/cost/range.js';
import { type CompiledRule, compileRule, rulesOf } from '../cel/rules/compile-rule.js';
import { maxRequestBytes, propertyType, type SchemaType, schemaType } from '../cel/schema/schema-type.js';
import { fieldPathOf } from './rule-field-path.js';
import { shownRule } from './shown-rule.js';
import { additionalOf, isEmbedded, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/** The most that one rule of a definition may cost by the estimate, and all of one schema together. Source: observed. */
const maxRuleCost = 10_000_000;
const maxSchemaCost = 100_000_000;

/**
 * Returns errors for rules of a structural schema: those that do not compile, cost too much, or compare what has no old value. The rules of a
 * node with other errors in it, of which `isFaulty` tells, are not read. Source: observed.
 */
export function crdRuleErrors(schema: JsonObject, path: string, isFaulty: IsFaulty): readonly FieldError[] {
  const check = new SchemaRules(isFaulty);
  check.visit({ schema, path, isRoot: true, cardinality: 1, scope: 'none', known: undefined, uncorrelatable: undefined });
  return [...check.errors, ...check.totalErrors(path)];
}

/** Returns true for a node that has errors by itself. */
export type IsFaulty = (schema: JsonObject, path: string, level: 'root' | 'field') => boolean;

interface RuleNode {
  readonly schema: StructuralSchema;
  readonly path: string;
  readonly isRoot: boolean;
  /** How often the node may be in one object; undefined if nothing limits that. */
  readonly cardinality: number | undefined;
  /** `rules`: a node around it has rules; `any`: and one between them has no type for rules, so that this node has none either. */
  readonly scope: 'none' | 'rules' | 'any';
  /** The type of the node in that of the nearest node around it with rules; undefined if there is none, or if the node is not in it. */
  readonly known: SchemaType | undefined;
  /** The path of the outermost list around the node whose items have no old values. */
  readonly uncorrelatable: string | undefined;
}

class SchemaRules {
  readonly errors: FieldError[] = [];
  readonly #costs: { readonly path: string; readonly cost: number }[] = [];
  readonly #isFaulty: IsFaulty;
  #total = 0;

  constructor(isFaulty: IsFaulty) {
    this.#isFaulty = isFaulty;
  }

  /** Returns true if the node, or one in it, has errors that are not of an expression. */
  visit(node: RuleNode): boolean {
    const { schema, path, isRoot } = node;
    const rules = rulesOf(schema);
    const type = rules.length > 0 && node.scope !== 'any' ? typeOfNode(node) : undefined;
    const around = type ?? node.known;
    const cardinality = node.cardinality === undefined ? undefined : times(node.cardinality, maxChildren(schema));
    const child = {
      isRoot: false,
      cardinality,
      scope: scopeBelow(node, around),
      known: around?.element,
      uncorrelatable: node.uncorrelatable,
    };
    const additional = additionalOf(schema);
    let isFaulty = this.#isFaulty(schema, path, isRoot ? 'root' : 'field');
    const visit = (inner: RuleNode) => {
      isFaulty = this.visit(inner) || isFaulty;
    };
    if (additional !== undefined && additional !== true) visit({ ...child, schema: additional, path: `${path}.additionalProperties` });
    for (const [name, property] of Object.entries(propertiesOf(schema)))
      visit({ ...child, schema: property, path: `${path}.properties[${name}]`, known: around && propertyType(name, property, around) });
    const items = itemsOf(schema);
    if (items !== undefined) {
      const uncorrelatable = node.uncorrelatable ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : path);
      visit({ ...child, schema: items, path: `${path}.items`, uncorrelatable });
    }
    const declared = rules.flatMap((_, index) => declarationErrors(schema, index, `${path}.x-kubernetes-validations[${index}]`));
    this.errors.push(...declared);
    if (isFaulty || declared.length > 0) return true;
    if (type === undefined) {
      if (rules.length > 0) this.errors.push(untyped(`${path}.x-kubernetes-validations`));
      return false;
    }
    for (const [index, rule] of rules.entries())
      this.#check(compileRule(rule, type), type, node, `${path}.x-kubernetes-validations[${index}]`);
    return false;
  }

  #check(compiled: CompiledRule, type: SchemaType, node: RuleNode, path: string): void {
    const { declared, error, messageError, message, usesOldSelf } = compiled;
    this.#estimate(compiled.evaluator, type, node, `${path}.rule`, 'estimated rule cost');
    const shown = shownRule({ ...declared });
    if (error !== undefined) this.errors.push(invalidValue(`${path}.rule`, shown, error));
    if (messageError !== undefined) this.errors.push(invalidValue(`${path}.messageExpression`, shown, messageError));
    else if (message !== undefined) this.#estimate(message, type, node, `${path}.messageExpression`, 'estimated messageExpression cost', 1);
    if (usesOldSelf && node.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${node.uncorrelatable}`;
      this.errors.push(invalidValue(`${path}.rule`, declared.rule, detail));
    } else if (!usesOldSelf && declared.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.errors.push(invalidValue(`${path}.optionalOldSelf`, declared.optionalOldSelf, detail));
    }
  }

  #estimate(
    evaluator: Evaluator | undefined,
    type: SchemaType,
    { cardinality }: RuleNode,
    path: string,
    name: string,
    factor?: number,
  ): void {
    if (evaluator === undefined) return;
    const count = factor ?? cardinality ?? Math.floor(maxRequestBytes / (type.minSize + 1));
    const cost = Math.min(estimateCost(evaluator.checked, type) * count, unlimited);
    if (cost > maxRuleCost) this.errors.push(forbiddenField(path, costText(name, cost, maxRuleCost)));
    this.#total += cost;
    if (cost >= maxSchemaCost / 100) this.#costs.push({ path, cost });
  }

  /** Returns errors for a schema whose rules cost too much together: its most expensive rules are named. */
  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= maxSchemaCost) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const expensive = this.#costs.toSorted((left, right) => right.cost - left.cost).slice(0, 4);
    return [
      ...expensive.map((each) => forbiddenField(each.path, detail)),
      forbiddenField(path, costText(name, this.#total, maxSchemaCost)),
    ];
  }
}

/**
 * Returns the type of a node with rules. It has the fields that the node around it has there (the metadata of an embedded resource has names
 * only), but a name of its own, which does not continue that of the node around it. Source: observed.
 */
function typeOfNode({ schema, isRoot, known }: RuleNode): SchemaType | undefined {
  return known === undefined ? schemaType(schema, isRoot || isEmbedded(schema)) : schemaType(known.schema, false);
}

function scopeBelow(node: RuleNode, around: SchemaType | undefined): RuleNode['scope'] {
  if (node.scope === 'any' || (node.scope === 'none' && rulesOf(node.schema).length === 0)) return node.scope;
  return (around ?? typeOfNode(node)) === undefined ? 'any' : 'rules';
}

function times(left: number, right: number | undefined): number | undefined {
  return right === undefined ? undefined : left * right;
}

/** Returns how many children of one kind a value may have; undefined if nothing limits them. */
function maxChildren({ type, additionalProperties, maxProperties, maxItems }: StructuralSchema): number | undefined {
  const most = (limit: Json | undefined) => (typeof limit === 'number' ? Math.max(0, limit) : undefined);
  if (type === 'array') return most(maxItems);
  return type === 'object' && additionalProperties !== undefined ? most(maxProperties) : 1;
}

function untyped(path: string): FieldError {
  const detail =
    'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
  return { type: 'internal', field: path, detail };
}

const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function costText(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${goFixed(factor, 6)}x` : `${goFixed(factor, 1)}x`;
  return `${name} exceeds budget by factor of ${shown} (${advice})`;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Validates the members of a rule, other than its expressions. */
function declarationErrors(schema: StructuralSchema, index: number, path: string): readonly FieldError[] {
  const rule = rulesOf(schema)[index] as ReturnType<typeof rulesOf>[number];
  const { messageExpression, reason, fieldPath } = rule;
  const errors = [...textErrors(rule, path)];
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(unsupported(`${path}.reason`, reason, reasons));
  const unfit = (detail: string) => errors.push(invalidValue(`${path}.fieldPath`, fieldPath, detail));
  if (fieldPath !== '' && fieldPath.trim() === '') unfit('must be non-empty if specified');
  if (/[\n\r]/.test(fieldPath)) unfit('must not contain line breaks');
  if (fieldPath !== '' && fieldPathOf(fieldPath, schema) === undefined) unfit('must be a valid path');
  return errors;
}

function textErrors({ rule, message }: ReturnType<typeof rulesOf>[number], path: string): readonly FieldError[] {
  const isBroken = (text: string) => /[\n\r]/.test(text.trim());
  if (rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (message !== '' && message.trim() === '') return [invalidValue(`${path}.message`, message, 'must be non-empty if specified')];
  if (isBroken(message)) return [invalidValue(`${path}.message`, message, 'must not contain line breaks')];
  return isBroken(rule) && message === '' ? [required(`${path}.message`, 'message must be specified if rule contains line breaks')] : [];
}
