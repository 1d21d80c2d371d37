import { type FieldSet, fieldSetOfPaths } from '../../../fields/index.js';
import { ignoredFields } from '../../../ownership/index.js';
import type { RootType } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { Form } from '../../registry/resource.js';
import { byteMapsOf, withShownBytes } from '../convert/bytes.js';
import { decodeErrors } from '../convert/decode-errors.js';
import { sameFieldsOrder } from '../convert/fields-order.js';
import { isGivenEmpty, withGivenEmpty, withoutGivenEmpty } from '../convert/given-empty.js';
import { goForm, type WholeValues } from '../convert/go-form.js';
import { withNullLists } from '../convert/null-lists.js';
import { completed } from '../defaults/defaults.js';
import { validateBuiltIn } from '../validation/validate.js';
import { warningsOf } from '../validation/warnings.js';
import { prepareNamespace } from './namespace.js';
import { withStringData } from './secret.js';
import { prepareService, refuseNamelessService } from './service.js';
import { prepareServiceAccount } from './service-account.js';
import type { Traits } from './traits.js';

const specOnly: FieldSet = fieldSetOfPaths([[{ kind: 'field', name: 'spec' }]]);
const specAndLabels: FieldSet = fieldSetOfPaths([
  [{ kind: 'field', name: 'spec' }],
  [
    { kind: 'field', name: 'metadata' },
    { kind: 'field', name: 'labels' },
  ],
]);

/** Objects of a kind that Kubernetes itself has: Go structs, with defaults and rules from the data tables beside this file. */
export function builtInForm(roots: ReadonlyMap<string, RootType>, traits: Traits): Form {
  const at = (apiVersion: string) => roots.get(apiVersion) as RootType;
  const [first] = [...roots.values()] as [RootType];
  const byteMaps = byteMapsOf(first);
  const whole: WholeValues = new WeakMap();
  const valid: WholeValues = new WeakMap();
  const blanks = new Map<string, JsonObject>();
  const isSecret = first.apiVersion === 'v1' && first.kind === 'Secret';
  const hasStatus = first.subresources?.includes('status') === true;
  const counted = (object: JsonObject): readonly (Json | undefined)[] => (traits.generation ?? []).map((path) => memberAt(object, path));
  const complete = (object: JsonObject, apiVersion: string) => {
    const { managedFields } = (object.metadata ?? {}) as JsonObject;
    const { object: struct, unknown, emptied } = goForm(at(apiVersion), isSecret ? withStringData(object) : object, completed, whole);
    const made = withGivenEmpty(struct, emptied);
    // An empty list of managedFields is a request to forget them; ObjectMeta would drop it.
    if (!Array.isArray(managedFields) || managedFields.length > 0) return { object: made, unknown };
    return { object: { ...made, metadata: { ...(made.metadata as JsonObject), managedFields } }, unknown };
  };
  const withoutStatus = (object: JsonObject): JsonObject => {
    if (!hasStatus) return object;
    const { status: _, ...main } = object;
    return complete(main, String(object.apiVersion)).object;
  };

  return {
    custom: false,
    blank(apiVersion) {
      const blank = blanks.get(apiVersion) ?? goForm(at(apiVersion), { metadata: {} }).object;
      blanks.set(apiVersion, blank);
      return blank;
    },
    ignored(apiVersion, subresource) {
      if (subresource === 'status') return new Map([[apiVersion, traits.statusKeepsLabels ? specAndLabels : specOnly]]);
      return ignoredFields(at(apiVersion), subresource);
    },
    decode(object, apiVersion) {
      decodeErrors(at(apiVersion), object, 'request', whole);
      return complete(object, apiVersion);
    },
    complete(object, apiVersion, named = object) {
      decodeErrors(at(apiVersion), object, { named }, whole);
      return complete(object, apiVersion).object;
    },
    read: (stored, apiVersion) =>
      withNullLists(withShownBytes(byteMaps, stored.apiVersion === apiVersion ? stored : { ...stored, apiVersion })),
    encode: (object) => withNullLists(withoutGivenEmpty(object)),
    sameEntries: sameFieldsOrder,
    prepareCreate(object, { subresource, dryRun }) {
      const content = prepareServiceAccount(withoutStatus(object));
      if (!dryRun && subresource === undefined) refuseNamelessService(content);
      // Whoever creates through the status is given no addresses.
      const main = prepareNamespace(subresource === 'status' ? content : prepareService(content, undefined), undefined);
      return traits.generation === undefined ? main : withGeneration(main, 1);
    },
    prepareUpdate(object, live, subresource) {
      if (subresource === 'status') {
        const metadata = traits.statusKeepsLabels ? withLabelsOf(live, object) : (object.metadata as JsonObject);
        return withGeneration({ ...live, metadata, status: object.status }, generationOf(live));
      }
      const content = prepareServiceAccount(hasStatus ? { ...object, status: live.status } : object);
      const kept = prepareNamespace(prepareService(content, live), live);
      const changed = isGivenEmpty(kept, 'spec') || !jsonEqual(counted(kept) as Json, counted(live) as Json);
      const generation = generationOf(live);
      return withGeneration(kept, traits.generation === undefined ? generation : (generation ?? 0) + (changed ? 1 : 0));
    },
    validate: (object, live, subresource) => validateBuiltIn({ root: first, traits, valid }, object, live, subresource),
    warnings: (object, live, subresource) => (subresource === 'status' ? [] : warningsOf(object, live)),
  };
}

function memberAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

/** The metadata of an object with the labels of another. */
function withLabelsOf(other: JsonObject, object: JsonObject): JsonObject {
  const { labels: _, ...metadata } = object.metadata as JsonObject;
  const { labels } = other.metadata as JsonObject;
  return labels === undefined ? metadata : { ...metadata, labels };
}

function generationOf(object: JsonObject): number | undefined {
  return isJsonObject(object.metadata) ? (object.metadata.generation as number | undefined) : undefined;
}

function withGeneration(object: JsonObject, generation: number | undefined): JsonObject {
  const { generation: _, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata: generation === undefined ? metadata : { ...metadata, generation } };
}
