import { isJsonObject, type Json } from '../../util/json.js';

/** A part of a JSONPath: the values that it selects from one value. */
type Selector = (value: Json) => readonly Json[];

/**
 * Returns the values that a JSONPath of a printer column selects; none where a part of the path is absent.
 * Source: Kubernetes documentation "JSONPath Support"; "Extend the Kubernetes API with CustomResourceDefinitions", "Additional printer columns".
 */
export function parseJsonPath(path: string): (value: Json) => readonly Json[] {
  const selectors = selectorsIn(path);
  return (root) => {
    let values: readonly Json[] = [root];
    for (const select of selectors) values = values.flatMap((value) => select(value));
    return values;
  };
}

function selectorsIn(path: string): readonly Selector[] {
  const selectors: Selector[] = [];
  const tokens = /\.\.((?:[^.[\\]|\\.)+)|\.?\*|\.((?:[^.[\\]|\\.)+)|\[((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]'"])*)\]/gy;
  const text = path.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, '');
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [whole, deep, name, subscript] = match;
    if (deep !== undefined) selectors.push(descend(unescaped(deep)));
    else if (name !== undefined) selectors.push(member(unescaped(name)));
    else if (subscript !== undefined) selectors.push(subscripted(subscript.trim()));
    else if (whole.endsWith('*')) selectors.push(children);
  }
  return selectors;
}

function unescaped(name: string): string {
  return name.replace(/\\(.)/g, '$1');
}

function member(name: string): Selector {
  return (value) => (isJsonObject(value) && value[name] !== undefined ? [value[name] as Json] : []);
}

const children: Selector = (value) => {
  if (Array.isArray(value)) return value as readonly Json[];
  return isJsonObject(value)
    ? Object.keys(value)
        .toSorted()
        .map((name) => value[name] as Json)
    : [];
};

function descend(name: string): Selector {
  const find: Selector = (value) => [...member(name)(value), ...children(value).flatMap((child) => find(child))];
  return find;
}

function subscripted(text: string): Selector {
  if (text === '*') return children;
  const filter = /^\?\((.*)\)$/s.exec(text);
  if (filter !== null) return filtered(filter[1] as string);
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return member(unescaped(quoted[2] as string));
  if (text.includes(',')) {
    const parts = text.split(',').map((part) => subscripted(part.trim()));
    return (value) => parts.flatMap((part) => part(value));
  }
  return text.includes(':') ? slice(text) : item(Number(text));
}

function item(index: number): Selector {
  return (value) => {
    const found = Array.isArray(value) ? (value as readonly Json[]).at(index) : undefined;
    return found === undefined ? [] : [found];
  };
}

function slice(text: string): Selector {
  const [start, end, step = '1'] = text.split(':').map((part) => part.trim());
  return (value) => {
    if (!Array.isArray(value)) return [];
    const part = (value as readonly Json[]).slice(start ? Number(start) : 0, end ? Number(end) : undefined);
    return part.filter((_, index) => index % Math.max(1, Number(step || '1')) === 0);
  };
}

type Operand = (item: Json) => Json | undefined;

function filtered(text: string): Selector {
  const match = /[=!<>]=|[<>]/.exec(text);
  const left = operand(match === null ? text : text.slice(0, match.index));
  const accepts = match === null ? undefined : comparison(left, match[0], operand(text.slice(match.index + match[0].length)));
  return (value) => children(value).filter((candidate) => (accepts === undefined ? left(candidate) !== undefined : accepts(candidate)));
}

function operand(text: string): Operand {
  const trimmed = text.trim();
  const quoted = /^(['"])(.*)\1$/s.exec(trimmed);
  if (quoted !== null) return () => quoted[2] as string;
  if (trimmed.startsWith('@')) {
    const select = parseJsonPath(trimmed.slice(1));
    return (value) => select(value)[0];
  }
  if (trimmed === 'true' || trimmed === 'false') return () => trimmed === 'true';
  return () => Number(trimmed);
}

function comparison(left: Operand, operator: string, right: Operand): (value: Json) => boolean {
  return (value) => {
    const [a, b] = [left(value), right(value)];
    if (a === undefined || b === undefined || a === null || b === null) return false;
    if (operator === '==') return a === b;
    if (operator === '!=') return a !== b;
    if (typeof a !== typeof b) return false;
    return { '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b }[operator] as boolean;
  };
}
