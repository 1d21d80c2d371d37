/**
 * Returns true for a member of a schema that is a schema or a value of another type, and so has no type in the published schemas.
 * Source: Kubernetes API reference, JSONSchemaProps.
 */
export function isNestedSchema(owner: string, member: string): boolean {
  return owner.endsWith('.JSONSchemaProps') && (member === 'items' || isSchemaOrBoolean(member));
}

export function isSchemaOrBoolean(member: string): boolean {
  return member === 'additionalProperties' || member === 'additionalItems';
}
