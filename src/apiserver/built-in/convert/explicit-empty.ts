import type { JsonObject } from '../../../util/json.js';

/** Members by apiVersion and kind whose empty maps and lists, at any depth, the server distinguishes from absent ones. Source: observed. */
const distinguished: Readonly<Record<string, readonly string[]>> = {
  'batch/v1 Job': ['spec.template.metadata.labels'],
  'networking.k8s.io/v1 NetworkPolicy': ['spec'],
  'v1 ConfigMap': ['binaryData'],
  'v1 Secret': ['data'],
};

const none: readonly string[] = [];

/**
 * Returns the members in which the author of an object gave empty maps or lists that count as a change, though the Go struct omits them.
 *
 * @param omittedEmpty paths of the empty maps and lists that the struct omitted
 */
export function explicitEmptyMembers({ apiVersion, kind }: JsonObject, omittedEmpty: readonly string[]): readonly string[] {
  if (omittedEmpty.length === 0) return none;
  const members = distinguished[`${String(apiVersion)} ${String(kind)}`] ?? none;
  return members.filter((name) => omittedEmpty.some((path) => path === name || path.startsWith(`${name}.`)));
}
