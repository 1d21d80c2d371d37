import type { RootType } from '../../schema/index.js';
import type { JsonObject } from '../../util/json.js';
import { messageOfKind } from '../http/protobuf/message.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { apiVersionOf, type Resource, type ServedVersion, storeName } from '../registry/resource.js';
import { returnsDeletedObject } from '../verbs/delete.js';
import { describeKind } from './open-api-kind.js';
import { kindReference, messageReference, type Schemas, typeMembers } from './open-api-messages.js';
import type { PublishedBodies, PublishedResource, PublishedSubresource } from './open-api-operations.js';
import { type Subresource, subresourcesOf } from './subresources.js';

/** Returns a resource as its operations describe it, and adds the schema of its kind to the document. */
export function publishedResource(resource: DiscoveredResource, version: string, path: string, schemas: Schemas): PublishedResource {
  const { group, kind, plural, namespaced, verbs } = resource;
  const custom = resource.strategy?.custom === true;
  const object = objectReference(resource, version, schemas);
  const bodies = new Bodies(resource, version, object, schemas);
  const subresources = subresourcesOf(resource, resource.versions.get(version) as ServedVersion)
    .filter(({ kind: own, name }) => !/Options$/.test(own) && name !== 'log')
    .map((each) => publishedSubresource(resource, version, each, object, schemas));
  return { path, group, version, kind, plural, namespaced, custom, verbs, subresources, bodies };
}

/** Returns a reference to the schema of the kind: of the type model if its objects are stored, or else of its message. */
function objectReference(resource: DiscoveredResource, version: string, schemas: Schemas): JsonObject {
  const { group, kind } = resource;
  const apiVersion = apiVersionOf(group, version);
  if (!isServed(resource)) return messageReferenceOf(schemas, group, version, kind);
  const root = resource.types.versions.get(apiVersion) as RootType;
  return { $ref: `#/components/schemas/${describeKind(root, resource, version, schemas)}` };
}

function isServed(resource: DiscoveredResource): resource is Resource {
  return resource.stored !== false;
}

function messageReferenceOf(schemas: Schemas, group: string, version: string, kind: string): JsonObject {
  const message = messageOfKind(apiVersionOf(group, version), kind);
  return message === undefined ? { type: 'object' } : kindReference(schemas, message.name, [{ group, version }]);
}

function publishedSubresource(
  { group, kind, strategy }: DiscoveredResource,
  version: string,
  subresource: Subresource,
  object: JsonObject,
  schemas: Schemas,
): PublishedSubresource {
  const { name, verbs } = subresource;
  const own = { group: subresource.group ?? group, version: subresource.version ?? version, kind: subresource.kind };
  const isOwnKind = own.kind === kind;
  // The real server says of the scale of a custom resource that it is of its kind. Source: observed.
  const said = strategy?.custom === true ? { group, version, kind } : own;
  return { name, verbs, kind: said, object: isOwnKind ? object : messageReferenceOf(schemas, own.group, own.version, own.kind) };
}

/** The schemas of bodies, which are added to the document when an operation refers to them. */
class Bodies implements PublishedBodies {
  readonly object: JsonObject;
  readonly #resource: DiscoveredResource;
  readonly #version: string;
  readonly #schemas: Schemas;

  constructor(resource: DiscoveredResource, version: string, object: JsonObject, schemas: Schemas) {
    this.object = object;
    this.#resource = resource;
    this.#version = version;
    this.#schemas = schemas;
  }

  get deleted(): JsonObject {
    return returnsDeletedObject.has(storeName(this.#resource)) ? this.object : this.status;
  }

  get status(): JsonObject {
    return kindReference(this.#schemas, 'meta/v1.Status', [core]);
  }

  get deleteOptions(): JsonObject {
    return kindReference(this.#schemas, 'meta/v1.DeleteOptions', this.#groupVersions());
  }

  get patch(): JsonObject {
    return messageReference(this.#schemas, 'meta/v1.Patch');
  }

  get watchEvent(): JsonObject | undefined {
    if (this.#isCustom()) return undefined;
    const reference = messageReference(this.#schemas, 'meta/v1.WatchEvent');
    const name = nameOf(reference);
    const kinds = this.#groupVersions().map(({ group, version }) => ({ group, kind: 'WatchEvent', version }));
    this.#schemas[name] = { ...(this.#schemas[name] as JsonObject), 'x-kubernetes-group-version-kind': kinds };
    return reference;
  }

  /** The schema of lists: those of custom resources give no default. */
  get list(): JsonObject {
    const { group, kind, listKind = `${kind}List` } = this.#resource as Resource;
    const own = nameOf(this.object);
    const name = `${own.slice(0, own.lastIndexOf('.'))}.${listKind}`;
    const metadata = { allOf: [messageReference(this.#schemas, 'meta/v1.ListMeta')] };
    const isCustom = this.#isCustom();
    const items = { type: 'array', items: isCustom ? this.object : { default: {}, allOf: [this.object] } };
    this.#schemas[name] = {
      type: 'object',
      required: ['items'],
      properties: { ...typeMembers, metadata: isCustom ? metadata : { default: {}, ...metadata }, items },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version: this.#version }],
    };
    return { $ref: `#/components/schemas/${name}` };
  }

  #isCustom(): boolean {
    return this.#resource.strategy?.custom === true;
  }

  #groupVersions(): readonly { readonly group: string; readonly version: string }[] {
    const { group } = this.#resource;
    return group === '' ? [core] : [core, { group, version: this.#version }];
  }
}

const core = { group: '', version: 'v1' };

function nameOf({ $ref }: JsonObject): string {
  return String($ref).slice('#/components/schemas/'.length);
}
