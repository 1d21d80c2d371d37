import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import { metadataOnly } from '../http/projection.js';
import type { RequestTarget } from '../registry/backend.js';
import { autoscalerTable } from './autoscaling.js';
import type { Column, TableKind } from './column.js';
import { coreTables, scaleTable } from './core.js';
import { networkTables } from './networking.js';
import { podTables } from './pods.js';
import { policyTables } from './policies.js';
import { printerColumns } from './printer-columns.js';
import { storageTables } from './storage.js';
import { workloadTables } from './workloads.js';

const builtIn: Readonly<Record<string, TableKind>> = {
  ...podTables,
  ...workloadTables,
  ...coreTables,
  ...networkTables,
  ...storageTables,
  ...policyTables,
  'autoscaling/HorizontalPodAutoscaler': autoscalerTable,
};

/** Makes Tables of objects and lists of one resource. Source: Kubernetes documentation "Kubernetes API Concepts", "Receiving resources as Tables". */
export interface Tabulator {
  /** Returns the Table of an object or list; any other body, such as a Status, as it is. */
  table(body: JsonObject): JsonObject;
  /** Returns the Table of a watched object; the first one has the column definitions, and a bookmark has its metadata in any case. */
  watched(object: JsonObject, type: string): JsonObject;
}

type Included = 'None' | 'Metadata' | 'Object';

/** @throws StatusError 400 for an unknown `includeObject` */
export function tabulator(target: RequestTarget, query: URLSearchParams, apiVersion: string, now: () => number): Tabulator {
  const included = includedObject(query.get('includeObject') ?? '');
  const kind = tableKindOf(target);
  const { strategy, storage } = target.resource;
  // Of a built-in kind with several versions, columns and metadata are those of the storage version.
  const isConverted = !strategy.custom && target.subresource !== 'scale' && target.version.apiVersion !== storage;
  const described = (object: JsonObject) => (isConverted ? strategy.decode(object, storage) : object);
  const definitions = kind.columns.filter(({ hidden }) => hidden !== true).map(definitionOf);
  const table = (metadata: JsonObject, objects: readonly JsonObject[], columnDefinitions: Json, shown = included): JsonObject => ({
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions,
    rows: objects.map((object) => {
      const row = rowOf(kind, described(object), now());
      if (shown !== 'Metadata') return { ...row, object: shown === 'Object' ? object : null };
      return { ...row, object: metadataOnly(withoutTemplateGeneration(described(object)), apiVersion) };
    }),
  });
  const single = (object: JsonObject, columnDefinitions: Json, shown = included) => {
    const { resourceVersion } = metadataOf(object);
    return table(resourceVersion === undefined ? {} : { resourceVersion }, [object], columnDefinitions, shown);
  };
  let isFirst = true;
  return {
    table(body) {
      if (body.kind === 'Status') return body;
      if (!Array.isArray(body.items)) return single(body, definitions);
      const items = body.items as readonly JsonObject[];
      return table(body.metadata as JsonObject, kind.compare === undefined ? items : items.toSorted(kind.compare), definitions);
    },
    watched(object, type) {
      const columnDefinitions = isFirst ? definitions : null;
      isFirst = false;
      return single(object, columnDefinitions, type === 'BOOKMARK' ? 'Metadata' : included);
    },
  };
}

function tableKindOf({ resource, version: served, subresource }: RequestTarget): TableKind {
  const { strategy, storage } = resource;
  if (subresource === 'scale') return scaleTable(strategy.custom);
  if (strategy.custom) return printerColumns(served.printerColumns ?? []);
  return builtIn[`${storage.includes('/') ? resource.group : ''}/${resource.kind}`] ?? printerColumns([]);
}

function includedObject(value: string): Included {
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

function definitionOf({ name, type = 'string', format = '', description = '', priority = 0 }: Column): JsonObject {
  return { name, type, format, description, priority };
}

function rowOf(kind: TableKind, object: JsonObject, now: number): JsonObject {
  const conditions = kind.conditions?.(object) ?? [];
  return {
    cells: kind.columns.map((column) => column.cell(object, now)),
    ...(conditions.length === 0 ? {} : { conditions: conditions as Json }),
  };
}

const templateGeneration = 'deprecated.daemonset.template.generation';

/** Removes the annotation of a DaemonSet that only its versions of the API have, and Tables do not. Source: observed. */
function withoutTemplateGeneration(object: JsonObject): JsonObject {
  const { annotations, ...metadata } = metadataOf(object);
  if (object.kind !== 'DaemonSet' || !isJsonObject(annotations) || annotations[templateGeneration] === undefined) return object;
  const { [templateGeneration]: _, ...others } = annotations;
  return { ...object, metadata: { ...metadata, ...(Object.keys(others).length === 0 ? {} : { annotations: others }) } };
}
