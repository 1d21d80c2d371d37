import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import { duplicate, type FieldError, fieldErrorText, forbiddenField, invalidValue, required } from '../api/field-error.js';
import { Budget } from '../cel/evaluate/budget.js';
import { type CompiledRule, compileRule, rulesOf } from '../cel/rules/compile-rule.js';
import { evaluateRule, maxObjectCost, type RuleValues } from '../cel/rules/evaluate-rule.js';
import { jsonValue } from '../cel/schema/json-value.js';
import { propertyType, type SchemaType, schemaType } from '../cel/schema/schema-type.js';
import { type CelValue, EvaluationError } from '../cel/values/value.js';
import { type Correlation, correlatedItem } from './correlation.js';
import { fieldPathOf } from './rule-field-path.js';
import { additionalOf, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/** The rules of a schema and of the schemas inside of it, compiled. */
export interface RuleValidator {
  readonly schema: StructuralSchema;
  readonly type: SchemaType;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleValidator | undefined;
  readonly additional: RuleValidator | undefined;
  readonly properties: ReadonlyMap<string, RuleValidator>;
  readonly allOf: readonly RuleValidator[];
}

/** Compiles the rules of a schema; undefined if there are none. */
export function ruleValidator(schema: StructuralSchema, isRoot = true): RuleValidator | undefined {
  const type = hasRules(schema) ? schemaType(schema, isRoot) : undefined;
  return type === undefined ? undefined : validatorOf(schema, schema, type);
}

/** Returns true if a schema or one inside of it has rules. */
export function hasRules(schema: StructuralSchema): boolean {
  if (rulesOf(schema).length > 0) return true;
  const additional = additionalOf(schema);
  return [itemsOf(schema), additional === true ? undefined : additional, ...Object.values(propertiesOf(schema)), ...allOfOf(schema)].some(
    (each) => each !== undefined && hasRules(each),
  );
}

function allOfOf({ allOf }: StructuralSchema): readonly StructuralSchema[] {
  return Array.isArray(allOf) ? (allOf as readonly Json[]).filter(isJsonObject) : [];
}

/** @param validation the schema with the rules: the node itself, or an alternative of its `allOf` */
function validatorOf(validation: StructuralSchema, node: StructuralSchema, type: SchemaType): RuleValidator | undefined {
  const rules = rulesOf(validation).map((rule) => compileRule(rule, type));
  const items = childOf(itemsOf(validation), itemsOf(node), type.element);
  const additional = childOf(schemaOf(additionalOf(validation)), schemaOf(additionalOf(node)), type.element);
  const properties = new Map<string, RuleValidator>();
  for (const [name, property] of Object.entries(propertiesOf(validation))) {
    const own = propertiesOf(node)[name];
    const child = own === undefined ? undefined : childOf(property, own, propertyType(name, own, type));
    if (child !== undefined) properties.set(name, child);
  }
  const allOf = allOfOf(validation).flatMap((each) => validatorOf(each, node, type) ?? []);
  const isEmpty = rules.length === 0 && items === undefined && additional === undefined && properties.size === 0 && allOf.length === 0;
  return isEmpty ? undefined : { schema: node, type, rules, items, additional, properties, allOf };
}

function schemaOf(additional: StructuralSchema | true | undefined): StructuralSchema | undefined {
  return additional === true ? undefined : additional;
}

function childOf(validation: StructuralSchema | undefined, node: StructuralSchema | undefined, type: SchemaType | undefined) {
  return validation === undefined || node === undefined || type === undefined ? undefined : validatorOf(validation, node, type);
}

/** A value, the one that it replaces, and its place in the object. */
interface RulePlace {
  readonly path: string;
  readonly value: Json;
  readonly old: Json | undefined;
  /** Undefined where the value cannot be compared with an old one. */
  readonly correlation: Correlation | undefined;
  /** The nearest value around this one that can be compared. */
  readonly parent: Correlation | undefined;
}

export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Broken rules of values that did not change. */
  readonly warnings: readonly string[];
}

/** Evaluates the rules of an object; `correlation` is undefined for a create. */
export function validateRules(validator: RuleValidator, object: JsonObject, correlation: Correlation | undefined): RuleResult {
  return evaluated(validator, { path: '', value: object, old: correlation?.old, correlation, parent: undefined });
}

/** Evaluates the rules of a schema for its default: as a value that stays, and if none is broken as a new one. Source: observed. */
export function validateDefaultByRules(validator: RuleValidator, value: Json): readonly FieldError[] {
  const place = { path: '', value, correlation: undefined, parent: undefined };
  const { errors } = evaluated(validator, { ...place, old: value });
  return errors.length > 0 ? errors : evaluated(validator, { ...place, old: undefined }).errors;
}

function evaluated(validator: RuleValidator, place: RulePlace): RuleResult {
  const evaluation = new RuleEvaluation();
  evaluation.visit(validator, place);
  return evaluation;
}

class RuleEvaluation implements RuleResult {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly #budget = new Budget(maxObjectCost);
  #isExhausted = false;

  visit(validator: RuleValidator, place: RulePlace): void {
    const { value, old } = place;
    if (value === null || this.#isExhausted) return;
    if (validator.rules.length > 0) this.#evaluate(validator, place);
    for (const each of validator.allOf) this.visit(each, { ...place, correlation: undefined });
    if (isList(value)) {
      const { items } = validator;
      if (items === undefined) return;
      for (const [at, item] of value.entries()) {
        const child = { path: `${place.path}[${at}]`, value: item, old: correlatedItem(item, old, validator.schema) };
        this.visit(items, { ...child, ...within(place, ({ correlation }) => correlation?.index(at)) });
      }
    } else if (isJsonObject(value)) this.#visitMembers(validator, place, value);
  }

  #visitMembers({ additional, properties }: RuleValidator, place: RulePlace, value: JsonObject): void {
    const old = isJsonObject(place.old) ? place.old : {};
    for (const [name, member] of Object.entries(value) as [string, Json | undefined][]) {
      const property = properties.get(name);
      const validator = property ?? additional;
      if (validator === undefined || member === undefined) continue;
      const path = property === undefined ? `${place.path}[${name}]` : place.path === '' ? name : `${place.path}.${name}`;
      const isTypeField = place.path === '' && (name === 'apiVersion' || name === 'kind');
      const comparison = isTypeField
        ? { correlation: undefined, parent: undefined }
        : within(place, ({ correlation }) => correlation?.key(name));
      this.visit(validator, { path, value: member, old: old[name], ...comparison });
    }
  }

  #evaluate({ rules, schema, type }: RuleValidator, place: RulePlace): void {
    const values = valuesOf(place, type);
    for (const compiled of rules) {
      const shownType = () => invalidValue(place.path === '' ? '<nil>' : place.path, String(type.schema.type ?? ''), '');
      if (compiled.error !== undefined) {
        this.errors.push({ ...shownType(), detail: `rule compile error: ${compiled.error}` });
        continue;
      }
      const outcome = evaluateRule(compiled, values, this.#budget);
      if (outcome.kind === 'holds') continue;
      if (outcome.kind === 'broken') {
        this.#add(brokenRule(compiled, place, schema, outcome.message), compiled.usesOldSelf, place);
        continue;
      }
      this.errors.push({ ...shownType(), detail: outcome.message });
      if (outcome.kind === 'exhausted') {
        this.#isExhausted = true;
        return;
      }
    }
  }

  /** A rule that is broken by a value that did not change is a warning, unless it compares with the old value. */
  #add(error: FieldError, usesOldSelf: boolean, { correlation, parent }: RulePlace): void {
    const isUnchanged = (correlation ?? parent)?.isEqual === true;
    if (!usesOldSelf && isUnchanged) this.warnings.push(fieldErrorText(error));
    else this.errors.push(error);
  }
}

/** Returns how a child is compared: a child of a value that cannot be compared is not either. */
function within(place: RulePlace, child: (place: RulePlace) => Correlation | undefined): Pick<RulePlace, 'correlation' | 'parent'> {
  if (place.correlation === undefined) return { correlation: undefined, parent: place.parent };
  return { correlation: child(place), parent: place.correlation };
}

/** Returns the values that rules see. */
function valuesOf({ value, old }: RulePlace, type: SchemaType): RuleValues {
  return { self: valueOrError(value, type), oldSelf: old === undefined || old === null ? undefined : valueOrError(old, type) };
}

function valueOrError(json: Json, type: SchemaType): CelValue | EvaluationError {
  try {
    return jsonValue(json, type);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function brokenRule({ declared, messageError }: CompiledRule, place: RulePlace, schema: StructuralSchema, message: string): FieldError {
  // A rule whose messageExpression cannot be compiled has no path; only a default can break it, as its definition is refused. Source: observed.
  const hasPath = declared.fieldPath !== '' && messageError === undefined;
  const relative = hasPath ? fieldPathOf(declared.fieldPath, schema) : undefined;
  const path = `${place.path}${relative ?? ''}`;
  const field = path === '' ? '<nil>' : path.replace(/^\./, '');
  const isShown = schema.type !== 'object' && schema.type !== 'array';
  switch (declared.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, message);
    case 'FieldValueRequired':
      return required(field, message);
    case 'FieldValueDuplicate':
      return isShown ? duplicate(field, place.value) : { type: 'duplicate', field };
    default:
      return isShown ? invalidValue(field, place.value, message) : { type: 'invalid', field, detail: message };
  }
}
