import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { goTypeOf } from '../api/json-text.js';

const group = 'apiextensions.k8s.io';

/** Returns the review that asks a webhook to convert an object. Source: Kubernetes documentation "Webhook request and response". */
export function conversionReview(version: string, uid: string, object: JsonObject, desiredAPIVersion: string): JsonObject {
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion, objects: [object] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * Returns the converted objects of a review. Source: the messages as observed.
 *
 * @throws Error with the message of the server, if the webhook failed, or answered another review
 */
export function convertedObjectsOf(review: JsonObject, version: string, uid: string): readonly Json[] {
  checkReview(review, version);
  const { response } = review;
  if (response === undefined || response === null) throw new Error('no response provided');
  checkType(response, 'map', `ConversionReview.response of type ${version}.ConversionResponse`);
  const { uid: found, convertedObjects, result } = response as JsonObject;
  checkType(found, 'text', 'ConversionResponse.response.uid of type types.UID');
  checkType(convertedObjects, 'list', 'ConversionResponse.response.convertedObjects of type []runtime.RawExtension');
  checkType(result, 'map', 'ConversionResponse.response.result of type v1.Status');
  const { status, message } = (result ?? {}) as JsonObject;
  checkType(status, 'text', 'Status.response.result.status of type string');
  checkType(message, 'text', 'Status.response.result.message of type string');
  if (version === 'v1' && (found ?? '') !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found ?? '')}`);
  if (status !== 'Success')
    throw new Error(message ? String(message) : `response.result.status was '${String(status ?? '')}', not 'Success'`);
  return (convertedObjects ?? []) as readonly Json[];
}

/** The kinds that a server knows, beside the wanted review. */
const knownKinds: ReadonlySet<string> = new Set([
  'v1 Status',
  ...['v1', 'v1beta1'].flatMap((version) =>
    ['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'].map((kind) => `${group}/${version} ${kind}`),
  ),
]);

function checkReview({ kind, apiVersion }: JsonObject, version: string): void {
  const [ofReview, kindText] = [String(apiVersion ?? ''), String(kind ?? '')];
  if (ofReview === `${group}/${version}` && kindText === 'ConversionReview') return;
  if (ofReview !== '' && kindText !== '') throw new Error(otherReview(ofReview, kindText, version));
  const shownVersion = ofReview === '' ? '/' : ofReview.includes('/') ? ofReview : `/${ofReview}`;
  throw new Error(`expected webhook response of ${group}/${version}, Kind=ConversionReview, got ${shownVersion}, Kind=${kindText}`);
}

function otherReview(apiVersion: string, kind: string, version: string): string {
  const isKnown = knownKinds.has(`${apiVersion} ${kind}`);
  if (!isKnown)
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return `converting (${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}) to (${version}.ConversionReview): unknown conversion`;
}

const tests = {
  map: isJsonObject,
  list: (value: Json) => Array.isArray(value),
  text: (value: Json) => typeof value === 'string',
};

function checkType(value: Json | undefined, type: keyof typeof tests, field: string): void {
  if (value === undefined || value === null || tests[type](value)) return;
  throw new Error(`json: cannot unmarshal ${goTypeOf(value)} into Go struct field ${field}`);
}
