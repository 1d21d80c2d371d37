import { quote } from '../../fields/index.js';

/**
 * The identity of an owner. A manager has one Apply entry per subresource, whose version changes with each apply, and one Update entry per
 * version. Source: Kubernetes API reference, ManagedFieldsEntry; the rest was observed.
 */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Of Update entries only. */
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** Returns the identity as text. Texts sort in the order in which the server lists conflicts. */
export function ownerIdentity(owner: Owner): string {
  return JSON.stringify({
    ...(owner.manager === '' ? {} : { manager: owner.manager }),
    operation: owner.operation,
    ...(owner.operation === 'Apply' || !owner.apiVersion ? {} : { apiVersion: owner.apiVersion }),
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
  });
}

/** Returns the owner of an identity that `ownerIdentity` wrote. */
export function ownerOf(identity: string): Owner {
  return { manager: '', ...(JSON.parse(identity) as Partial<Owner>) } as Owner;
}

/** Returns an owner as conflict messages name it: `"hpa" with subresource "scale" using apps/v1`. */
export function conflictOwnerText(identity: string): string {
  const { manager, operation, apiVersion, subresource } = ownerOf(identity);
  const part = subresource ? ` with subresource ${quote(subresource)}` : '';
  return `${quote(manager)}${part}${operation === 'Update' ? ` using ${apiVersion ?? ''}` : ''}`;
}
