import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';

/**
 * Why no schema can refuse an object that the server refused, decided from the CRD and the server's answer; undefined where one
 * could, so that letting the object pass is a fault.
 */
export function uncheckedReason(crd: JsonObject, apiVersion: Json | undefined, serverResponse: string): string | undefined {
  const rule = celRules(schemaOf(crd, apiVersion), '').find(({ sentences }) =>
    sentences.some((sentence) => serverResponse.includes(sentence)),
  );
  if (rule !== undefined) return `${rule.text.includes('oldSelf') ? 'a rule about updates' : 'a CEL rule'} at ${rule.path}: ${rule.text}`;
  const metadata = /(?:^|[\s[,])(metadata\.[\w.[\]]+): /.exec(serverResponse);
  if (metadata !== null) return `${metadata[1]}: the server's rule about every object, which no CRD's schema describes`;
  if (
    /strict decoding error/.test(serverResponse) &&
    /already set in map|duplicate field/.test(serverResponse) &&
    !/unknown field/.test(serverResponse)
  )
    return 'a member is written twice: the text is wrong, the value that was read from it is not';
  if (/admission webhook|denied the request/.test(serverResponse)) return 'an admission webhook refused it';
  return undefined;
}

interface CelRule {
  readonly path: string;
  readonly text: string;
  /** Sentences of which one is in the answer when the rule fails. */
  readonly sentences: readonly string[];
}

function celRules(node: Json | undefined, path: string): CelRule[] {
  if (!isJsonObject(node)) return [];
  const own = Array.isArray(node['x-kubernetes-validations']) ? node['x-kubernetes-validations'] : [];
  const rules = own.filter(isJsonObject).map((rule): CelRule => {
    const text = String(rule.rule).trim().replace(/\s+/g, ' ');
    const message = typeof rule.message === 'string' ? [rule.message.trim()] : [];
    // An expression's text is known to the server only; its rule is then named by nothing else than the answer's form.
    return { path: path || '.', text, sentences: [...message, `failed rule: ${String(rule.rule).trim()}`] };
  });
  const members = isJsonObject(node.properties) ? Object.entries(node.properties) : [];
  return [
    ...rules,
    ...members.flatMap(([name, member]) => celRules(member, `${path}.${name}`)),
    ...celRules(node.items, `${path}[]`),
    ...celRules(node.additionalProperties, `${path}.*`),
  ];
}

function schemaOf(crd: JsonObject, apiVersion: Json | undefined): Json | undefined {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
  const version = versions.find(({ name }) => `${String(spec.group)}/${String(name)}` === apiVersion);
  return isJsonObject(version?.schema) ? version.schema.openAPIV3Schema : undefined;
}
