import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Matcher } from './selectors.js';

/** A requirement that a selector has of one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | 'in' | 'notin' | '>' | '<';
  readonly values: readonly string[];
}

/** All requirements of one label. */
interface LabelRule {
  required: boolean;
  forbidden: boolean;
  allowed: ReadonlySet<string> | undefined;
  readonly refused: Set<string>;
  /** Bounds of a whole number. */
  above: number | undefined;
  below: number | undefined;
}

/** Returns a matcher for labels. It takes as long as the object has labels, however many requirements there are. */
export function labelsMatcher(requirements: readonly LabelRequirement[]): Matcher {
  const rules = new Map<string, LabelRule>();
  for (const requirement of requirements) addRequirement(rules, requirement);
  const required = [...rules].filter(([, rule]) => rule.required).map(([key]) => key);
  return ({ metadata }: JsonObject) => {
    const labels = (isJsonObject(metadata) && isJsonObject(metadata.labels) ? metadata.labels : {}) as Readonly<Record<string, string>>;
    const keys = Object.keys(labels);
    if (required.length > keys.length || !required.every((key) => Object.hasOwn(labels, key))) return false;
    return keys.every((key) => satisfies(labels[key] as string, rules.get(key)));
  };
}

function addRequirement(rules: Map<string, LabelRule>, { key, operator, values }: LabelRequirement): void {
  const rule = rules.get(key) ?? {
    required: false,
    forbidden: false,
    allowed: undefined,
    refused: new Set(),
    above: undefined,
    below: undefined,
  };
  rules.set(key, rule);
  rule.required ||= operator !== '!' && operator !== 'notin';
  rule.forbidden ||= operator === '!';
  if (operator === 'in') rule.allowed = new Set(values.filter((value) => rule.allowed?.has(value) ?? true));
  else if (operator === 'notin') for (const value of values) rule.refused.add(value);
  else if (operator === '>') rule.above = Math.max(rule.above ?? -Infinity, Number(values[0]));
  else if (operator === '<') rule.below = Math.min(rule.below ?? Infinity, Number(values[0]));
}

function satisfies(value: string, rule: LabelRule | undefined): boolean {
  if (rule === undefined) return true;
  if (rule.forbidden || rule.refused.has(value) || rule.allowed?.has(value) === false) return false;
  if (rule.above === undefined && rule.below === undefined) return true;
  if (!/^[-+]?\d+$/.test(value)) return false;
  return Number(value) > (rule.above ?? -Infinity) && Number(value) < (rule.below ?? Infinity);
}
