/** DEL, C1 and what is no character, which YAML parsers refuse outside of escapes; line ends, which they change; the byte order mark. */
const special = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * JSON that a YAML parser reads as what it is: servers read an apply as YAML, and would make a blank of a raw U+0085.
 * Source: YAML 1.2.2, sections 5.1, 5.4 and 6.5; what kube-apiserver does with each was observed.
 */
export function jsonForYaml(json: string): string {
  return json.replace(special, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
