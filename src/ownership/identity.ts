import { quote } from '../fields/index.js';

/**
 * Who an owner is. Apply entries are one per manager and subresource, and their version moves with each apply; Update entries are
 * one per version. Source: Kubernetes API reference, ManagedFieldsEntry; the rest was observed.
 */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Of Update entries only. */
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** The identity as text. Its order is that in which the server lists conflicts. */
export function identityOf(owner: Owner): string {
  return JSON.stringify({
    ...(owner.manager === '' ? {} : { manager: owner.manager }),
    operation: owner.operation,
    ...(owner.operation === 'Apply' || !owner.apiVersion ? {} : { apiVersion: owner.apiVersion }),
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
  });
}

/** Reads what `identityOf` wrote. */
export function ownerOf(identity: string): Owner {
  return { manager: '', ...(JSON.parse(identity) as Partial<Owner>) } as Owner;
}

/** An owner as conflict messages name it: `"hpa" with subresource "scale" using apps/v1`. */
export function conflictOwnerText(identity: string): string {
  const { manager, operation, apiVersion, subresource } = ownerOf(identity);
  const part = subresource ? ` with subresource ${quote(subresource)}` : '';
  return `${quote(manager)}${part}${operation === 'Update' ? ` using ${apiVersion ?? ''}` : ''}`;
}
