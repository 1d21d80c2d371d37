import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { embeddedTypeErrors } from './coerce.js';
import { typedMetadata, withTypedEmbedded } from './object-meta.js';
import { isEmbedded, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/**
 * Returns a root schema whose defaults have the metadata of embedded resources as ObjectMeta decodes it; those inside of such metadata stay as
 * they are. A definition is stored so. Source: observed.
 */
export function withTypedDefaults(root: StructuralSchema): StructuralSchema {
  return visit(root, { isRoot: true, isServed: false });
}

/**
 * Returns a root schema with the defaults that a server fills in: those inside of the metadata of embedded resources as ObjectMeta decodes them,
 * without what it does not have. Source: observed.
 */
export function withServedDefaults(root: StructuralSchema): StructuralSchema {
  return visit(root, { isRoot: true, isServed: true });
}

interface DefaultPlace {
  readonly isRoot: boolean;
  readonly isServed: boolean;
  /** In the metadata of an embedded resource: returns a value of the node as this metadata keeps it. */
  readonly asInMetadata?: (value: Json) => Json | undefined;
}

function visit(schema: StructuralSchema, place: DefaultPlace): StructuralSchema {
  const { default: declared, ...others } = schema;
  const value = declared === undefined || declared === null ? undefined : typedDefault(declared, schema, place);
  const items = itemsOf(schema);
  const members = Object.entries(propertiesOf(schema)).map(([name, member]) => [name, property(name, member, schema, place)]);
  return {
    ...others,
    ...(value === undefined ? {} : { default: value }),
    ...(members.length > 0 ? { properties: Object.fromEntries(members) as JsonObject } : {}),
    ...(items === undefined
      ? {}
      : {
          items: visit(
            items,
            within(place, (item) => [item], first),
          ),
        }),
  };
}

const first = (list: Json | undefined) => (Array.isArray(list) ? (list[0] as Json | undefined) : undefined);

function property(name: string, member: StructuralSchema, schema: StructuralSchema, place: DefaultPlace): StructuralSchema {
  const { isRoot, isServed, asInMetadata } = place;
  if (asInMetadata !== undefined)
    return visit(
      member,
      within(
        place,
        (value) => ({ [name]: value }),
        (object) => (isJsonObject(object) ? object[name] : undefined),
      ),
    );
  if (name !== 'metadata' || !(isRoot || isEmbedded(schema))) return visit(member, { isRoot: false, isServed });
  return isServed ? visit(member, { isRoot: false, isServed, asInMetadata: keptMetadata }) : member;
}

function keptMetadata(metadata: Json): Json | undefined {
  return isJsonObject(metadata) ? typedMetadata(metadata) : metadata;
}

function within(
  { isServed, asInMetadata }: DefaultPlace,
  wrap: (value: Json) => Json,
  unwrap: (value: Json | undefined) => Json | undefined,
): DefaultPlace {
  const inner = asInMetadata && { asInMetadata: (value: Json) => unwrap(asInMetadata(wrap(value))) };
  return { isRoot: false, isServed, ...inner };
}

const resource = { 'x-kubernetes-embedded-resource': true } as const;

/** A default that cannot be decoded is refused later, as it is. */
function typedDefault(value: Json, declared: StructuralSchema, { isRoot, asInMetadata }: DefaultPlace): Json | undefined {
  if (asInMetadata !== undefined) return asInMetadata(value);
  const schema = isRoot ? { ...declared, ...resource } : declared;
  return embeddedTypeErrors(value, schema, '').length > 0 ? value : withTypedEmbedded(value, schema);
}
