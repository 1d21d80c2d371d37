import type { IConstruct } from 'constructs';
import { hasBrand, stackBrand } from './brand.js';

/** A stack as far as a policy names it. */
interface NamedStack extends IConstruct {
  readonly manager: string;
}

/** Whose fields an intent takes over. */
export interface TransferFrom {
  /** The stack that gives, or the name of any field manager, such as `argocd-controller` or that of a stack of another program. */
  readonly from: NamedStack | string;
  /** Only these and what is below them, such as `spec.replicas`. Default: all that the intent declares. */
  readonly fields?: readonly string[] | undefined;
}

/** The same with the giver's field manager, field paths with a leading dot. */
export interface ResolvedTransferFrom {
  readonly from: string;
  readonly fields?: readonly string[];
}

/** Checks it, or says what is wrong as the rest of a sentence. */
export function parseTransferFrom(value: unknown): { readonly transferFrom: ResolvedTransferFrom } | { readonly issue: string } {
  if (typeof value !== 'object' || value === null)
    return { issue: "must be an object such as { from: otherStack, fields: ['spec.replicas'] }" };
  const { from, fields, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { issue: `has no member ${unknown}, only \`from\` and \`fields\`` };
  const manager = hasBrand(from, stackBrand) ? (from as NamedStack).manager : from;
  if (typeof manager !== 'string' || manager === '') return { issue: 'needs `from`: a Stack, or the name of a field manager' };
  if (fields === undefined) return { transferFrom: Object.freeze({ from: manager }) };
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every((field) => typeof field === 'string' && field !== ''))
    return { issue: 'has `fields` that are no list of field paths such as spec.replicas' };
  const paths = (fields as string[]).map((field) => (field.startsWith('.') ? field : `.${field}`));
  return { transferFrom: Object.freeze({ from: manager, fields: Object.freeze(paths) }) };
}
