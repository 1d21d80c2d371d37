import type { ApiRequest } from '../api/request.js';
import { StatusError } from '../api/status-error.js';

/** A serialization of response bodies. */
export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** The form in which a client requests objects: whole, metadata only, or as rows of a table. */
export type Projection = 'whole' | 'metadata' | 'table';

/** A form of responses that a client accepts: the serialization, and the form of objects. */
export interface Representation extends Form {
  readonly mediaType: MediaType;
}

interface Form {
  readonly projection: Projection;
  /** The kind that the client asks for instead of whole objects: `PartialObjectMetadata`, `PartialObjectMetadataList` or `Table`. */
  readonly kind?: string;
  /** Of that kind. */
  readonly apiVersion?: string;
}

/** The serializations of a resource, in the order of error messages. */
const offered: readonly MediaType[] = ['application/json', 'application/yaml', protobufType];

/** The serializations of a watch. */
const watchable = ['application/json;stream=watch', `${protobufType};stream=watch`];

const projections: Readonly<Record<string, Projection>> = {
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
  Table: 'table',
};

/** The versions of `PartialObjectMetadata` and `Table`, which are alike. */
export const metaVersions: readonly string[] = ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'];

/** The path of a request, as far as it decides what the server offers. */
export interface Endpoint {
  /** A custom resource has protobuf for metadata only. */
  readonly custom?: boolean;
  readonly watch?: boolean;
  /** A list or watch. */
  readonly collection?: boolean;
  /** Checked by media type alone, before parameters. False for custom resources and the lists of API groups. @default true */
  readonly strict?: boolean;
  /** Discovery has one form only. */
  readonly discovery?: boolean;
}

const whole: Representation = { mediaType: 'application/json', projection: 'whole' };

/**
 * Returns the representation of the Accept header that the client prefers among those that this server has.
 * Source: Kubernetes documentation "Kubernetes API Concepts", "Alternate representations of resources"; messages as observed.
 *
 * @throws StatusError 406
 */
export function negotiate(request: ApiRequest, endpoint: Endpoint = {}): Representation {
  const { accept = '' } = request.headers;
  if (accept === '' || accept === 'application/json' || accept === '*/*') return whole;
  const clauses = acceptClauses(accept);
  if (endpoint.custom !== true && endpoint.strict !== false)
    checkMediaTypes(clauses, endpoint.collection ? [...offered, ...watchable] : offered);
  for (const clause of clauses) {
    const form = formOf(clause.parameters);
    const mediaType = form && offered.find((each) => matches(clause, each) && isOffered(each, form.projection, clause, endpoint));
    if (form === undefined || mediaType === undefined || (endpoint.discovery && form.projection !== 'whole')) continue;
    if (endpoint.watch && mediaType === 'application/yaml') throw notAcceptable(watchable);
    return { mediaType, ...form };
  }
  throw notAcceptable();
}

function isOffered(mediaType: MediaType, projection: Projection, { parameters }: AcceptClause, { custom }: Endpoint): boolean {
  if (mediaType === 'application/yaml' && parameters.stream !== undefined) return false;
  if (parameters.stream !== undefined && parameters.stream !== 'watch') return false;
  return mediaType !== protobufType || projection === 'metadata' || (projection === 'whole' && custom !== true);
}

function formOf({ as: kind, g, v }: AcceptClause['parameters']): Form | undefined {
  if (kind === undefined) return { projection: 'whole' };
  const apiVersion = `${g}/${v}`;
  const projection = Object.hasOwn(projections, kind) ? projections[kind] : undefined;
  return projection !== undefined && metaVersions.includes(apiVersion) ? { projection, kind, apiVersion } : undefined;
}

/**
 * Returns the type of a response with all groups in one list, undefined if the client does not ask for it first.
 * Source: KEP-3352 Aggregated Discovery.
 */
export function negotiateAggregated(
  { headers: { accept = '' } }: ApiRequest,
  strict: boolean,
): { readonly mediaType: MediaType; readonly contentType: string } | undefined {
  if (!accept.includes('APIGroupDiscoveryList')) return undefined;
  const clauses = acceptClauses(accept);
  if (strict) checkMediaTypes(clauses, offered);
  for (const clause of clauses) {
    const { as: kind, g, v } = clause.parameters;
    const mediaType = offered.find((each) => matches(clause, each));
    if (mediaType === undefined) continue;
    if (kind === undefined) return undefined;
    if (kind === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2')
      return { mediaType, contentType: `${mediaType};g=${g};v=${v};as=${kind}` };
  }
  throw notAcceptable();
}

/** Returns the media type of an error: an error has only one form, and JSON if the client accepts none of its serializations. */
export function mediaTypeOfError({ headers: { accept = '' } }: Pick<ApiRequest, 'headers'>): MediaType {
  if (accept === '' || accept === 'application/json' || accept === '*/*') return 'application/json';
  for (const clause of acceptClauses(accept)) {
    const mediaType = offered.find((each) => matches(clause, each) && isOffered(each, 'whole', clause, {}));
    if (mediaType !== undefined && clause.parameters.as === undefined) return mediaType;
  }
  return 'application/json';
}

/** A part of an Accept header: `application/json;as=Table;q=0.5`. */
export interface AcceptClause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** Returns the parts of an Accept header, the preferred ones first. */
export function acceptClauses(accept: string): readonly AcceptClause[] {
  const clauses = accept.split(',').map((text): AcceptClause => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = Object.fromEntries(rest.map((part) => part.split('=', 2).map((word) => word.trim()) as [string, string?]));
    return { type, quality: Number(parameters.q ?? 1), parameters };
  });
  const breadth = ({ type }: AcceptClause) => (type === '*/*' || type === '*' ? 2 : type.endsWith('/*') ? 1 : 0);
  return clauses.length < 2 ? clauses : clauses.sort((left, right) => right.quality - left.quality || breadth(left) - breadth(right));
}

function matches({ type }: AcceptClause, mediaType: string): boolean {
  return type === mediaType || type === '*/*' || type === '*' || (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)));
}

/** Checks that a media type is accepted, whatever its parameters. @throws StatusError 406 */
export function checkMediaTypes(clauses: readonly AcceptClause[], available: readonly string[]): void {
  if (clauses.some(({ type }) => type === '*/*' || available.includes(type))) return;
  throw new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {});
}

/** Returns the error for a request that accepts none of the representations. */
export function notAcceptable(accepted: readonly string[] = offered): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}
