import type { FieldPath } from '../../fields/index.js';
import { rawConditionsOf } from '../../fields/object.js';
import { convertedKind } from '../../merge/index.js';
import { readCrd } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { caBundleProblem } from '../built-in/validation/crd-conversion-rules.js';
import { type ConversionWebhook, conversionWebhookOf } from '../conversion/conversion-webhook.js';
import { convertByWebhook, reusesConversions } from '../conversion/conversions.js';
import { CustomResourceStrategy, type CustomVersion, type VersionConversion } from '../custom/custom-resource-strategy.js';
import { withServedDefaults } from '../custom/typed-defaults.js';
import { nameAndNamespace, type SelectableFields } from '../registry/field-selector.js';
import { apiVersionOf, type Resource, type ScalePaths, type ServedVersion } from '../registry/resource.js';

/** All verbs, in the order in which discovery lists them for custom resources. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch'];

/** The strategy `None`: only `apiVersion` changes. */
const withoutConversion: VersionConversion = {
  convert: (object, apiVersion) => ({ ...object, apiVersion }),
  reusesDecoded: () => true,
};

function conversionBy(webhook: ConversionWebhook): VersionConversion {
  return { convert: (object, apiVersion) => convertByWebhook(webhook, object, apiVersion), reusesDecoded: reusesConversions };
}

/** Returns the resource that a CustomResourceDefinition defines. @throws FieldwiseError `crd-invalid` */
export function customResource(crd: JsonObject): Resource {
  const spec = crd.spec as JsonObject;
  const group = String(spec.group);
  const names = spec.names as JsonObject;
  const { roots } = readCrd(crd);
  const versions = (spec.versions as readonly JsonObject[]).map((version): CustomVersion => {
    const apiVersion = apiVersionOf(group, String(version.name));
    const root = roots.find((candidate) => candidate.apiVersion === apiVersion) as (typeof roots)[number];
    const schema = isJsonObject(version.schema) && isJsonObject(version.schema.openAPIV3Schema) ? version.schema.openAPIV3Schema : {};
    const served = { ...servedVersion(version, apiVersion, deprecationOf(version, spec)), declaredSchema: schema };
    return { served, root, schema: withServedDefaults(schema) };
  });
  const served = versions.filter((_, index) => (spec.versions as readonly JsonObject[])[index]?.served === true);
  const storage = (spec.versions as readonly JsonObject[]).find((version) => version.storage === true) ?? {};
  const storageVersion = apiVersionOf(group, String(storage.name));
  const kind = String(names.kind);
  const webhook = conversionWebhookOf(crd);
  const conversion = webhook === undefined ? withoutConversion : conversionBy(webhook);
  const terminating = rawConditionsOf(crd).some(({ type, status }) => type === 'Terminating' && status === 'True');
  return {
    group,
    plural: String(names.plural),
    singular: String(names.singular ?? kind.toLowerCase()),
    kind,
    listKind: String(names.listKind ?? `${kind}List`),
    shortNames: strings(names.shortNames),
    categories: strings(names.categories),
    namespaced: spec.scope === 'Namespaced',
    versions: new Map(
      served
        .toSorted((left, right) => compareVersions(left.served.name, right.served.name))
        .map((version) => [version.served.name, version.served]),
    ),
    storage: storageVersion,
    types: convertedKind(roots, conversion.convert),
    verbs: terminating ? terminatingVerbs : customVerbs,
    terminating,
    convertedByWebhook: webhook !== undefined,
    unresolvable: webhook?.address.ca !== undefined && caBundleProblem(spec.conversion) !== undefined,
    strategy: new CustomResourceStrategy(
      new Map(versions.map((version) => [version.served.apiVersion, version])),
      storageVersion,
      conversion,
    ),
  };
}

function servedVersion(version: JsonObject, apiVersion: string, deprecated: string | undefined): ServedVersion {
  const subresources = isJsonObject(version.subresources) ? version.subresources : {};
  return {
    name: String(version.name),
    apiVersion,
    status: isJsonObject(subresources.status),
    scale: isJsonObject(subresources.scale) ? scalePaths(subresources.scale) : undefined,
    ...(Array.isArray(version.additionalPrinterColumns)
      ? { printerColumns: version.additionalPrinterColumns as readonly JsonObject[] }
      : {}),
    selectable: selectableFields(version),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

/**
 * Returns the warning of a deprecated version, which names the newest served version that is not deprecated, if that is newer. Source:
 * Kubernetes documentation "Versions in CustomResourceDefinitions", "Version deprecation"; observed.
 */
function deprecationOf({ deprecated, deprecationWarning, name }: JsonObject, spec: JsonObject): string | undefined {
  if (deprecated !== true) return undefined;
  if (typeof deprecationWarning === 'string') return deprecationWarning;
  const text = (version: string) => `${String(spec.group)}/${version} ${String((spec.names as JsonObject).kind)}`;
  const versions = (spec.versions as readonly JsonObject[]).filter((version) => version.served === true && version.deprecated !== true);
  const [newest] = versions.map((version) => String(version.name)).toSorted(compareVersions);
  const isNewer = newest !== undefined && compareVersions(newest, String(name)) < 0;
  return `${text(String(name))} is deprecated${isNewer ? `; use ${text(newest)}` : ''}`;
}

/** Source: Kubernetes documentation "Selectable fields for custom resources". */
function selectableFields({ selectableFields: declared }: JsonObject): SelectableFields {
  const paths = ((Array.isArray(declared) ? declared : []) as readonly JsonObject[]).map(({ jsonPath }) => String(jsonPath).slice(1));
  return {
    absent: { ...nameAndNamespace.absent, ...Object.fromEntries(paths.map((path) => [path, ''])) },
    unknown: (label) => `field label not supported: ${label}`,
  };
}

function scalePaths(scale: JsonObject): ScalePaths {
  return {
    replicas: fieldPath(scale.specReplicasPath) ?? [],
    statusReplicas: fieldPath(scale.statusReplicasPath) ?? [],
    selector: fieldPath(scale.labelSelectorPath),
  };
}

function fieldPath(text: Json | undefined): FieldPath | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return text
    .split('.')
    .filter((name) => name !== '')
    .map((name) => ({ kind: 'field', name }) as const);
}

/** Compares names of versions, the preferred one first. Source: Kubernetes documentation "Versions in CustomResourceDefinitions", "Version priority". */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [priority(left), priority(right)];
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return (b[index] as number) - (a[index] as number);
  return left < right ? -1 : 1;
}

function priority(name: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (match === null) return [0, 0, 0];
  return [match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1, Number(match[1]), Number(match[3] ?? 0)];
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? (value as Json[]).filter((item): item is string => typeof item === 'string') : [];
}
