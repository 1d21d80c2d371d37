import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

/** Returns the role that a binding refers to; undefined for every other object. */
export function roleOf({ roleRef }: JsonObject): { readonly kind: string; readonly name: string } | undefined {
  return isJsonObject(roleRef) ? { kind: String(roleRef.kind), name: String(roleRef.name) } : undefined;
}

export function isBinding({ kind }: { readonly kind: string }): boolean {
  return kind.endsWith('Binding');
}

/**
 * Returns true if a role or a binding may give a user one of the rights that they would have to hold to grant them.
 *
 * @param message the refusal, which names the user and the rights that are missing. Source: observed with Kubernetes 1.36.
 */
export function mayGrant(message: string, object: JsonObject, binds: boolean): boolean {
  return binds ? bindsUser(message, object) : grantsMissing(message, object);
}

function bindsUser(message: string, { subjects }: JsonObject): boolean {
  const user = between(message, 'user "', '" (groups=[');
  if (user === undefined) return true;
  const names = new Set([user, ...listed(between(message, '" (groups=[', '])') ?? '')]);
  const all = Array.isArray(subjects) ? (subjects as readonly Json[]).filter(isJsonObject) : [];
  return all.some(({ kind, name, namespace }) =>
    names.has(kind === 'ServiceAccount' ? `system:serviceaccount:${String(namespace)}:${String(name)}` : String(name)),
  );
}

function grantsMissing(message: string, { rules, aggregationRule }: JsonObject): boolean {
  if (aggregationRule !== undefined) return true; // Its rules are those of other roles.
  const missing = message.split('\n').filter((line) => line.startsWith('{'));
  const granted = Array.isArray(rules) ? (rules as readonly Json[]).filter(isJsonObject) : [];
  const overlaps = (text: string, member: string, values: Json | undefined) => {
    const wanted = listed(between(text, `${member}:[`, ']') ?? '');
    const given = Array.isArray(values) ? (values as readonly Json[]).map(String) : [];
    return wanted.length === 0
      ? given.length === 0
      : given.some((value) => value === '*' || wanted.includes(value) || wanted.includes('*'));
  };
  return missing.some((text) =>
    granted.some(
      (rule) =>
        overlaps(text, 'Verbs', rule.verbs) &&
        overlaps(text, 'APIGroups', rule.apiGroups) &&
        overlaps(text, 'Resources', rule.resources) &&
        overlaps(text, 'NonResourceURLs', rule.nonResourceURLs),
    ),
  );
}

/** Returns the text between two others; undefined where they are not there. */
function between(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before);
  const end = start < 0 ? -1 : text.indexOf(after, start + before.length);
  return end < 0 ? undefined : text.slice(start + before.length, end);
}

/** Reads `"a" "b"`. */
function listed(text: string): readonly string[] {
  return text === '' ? [] : text.slice(1, -1).split('" "');
}
