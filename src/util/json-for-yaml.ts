/** Noncharacters, DEL and C1, which YAML parsers reject outside escapes; line ends, which they change; the byte order mark. */
const special = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Returns JSON that a YAML parser reads unchanged: servers parse an apply as YAML, and would turn a raw U+0085 into a space. Source: YAML
 * 1.2.2, sections 5.1, 5.4 and 6.5; the behavior of kube-apiserver was observed for each.
 */
export function jsonForYaml(json: string): string {
  return json.replace(special, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
