import type { ApiRequest } from '../api/request.js';
import { StatusError } from '../api/status-error.js';

/** A serialization of response bodies. */
export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** The form in which a client requests objects: whole, metadata only, or as rows of a table. */
export type Projection = 'whole' | 'metadata' | 'table';

/** What a client accepts: how a response is serialized, and in which form it has objects. */
export interface Representation {
  readonly mediaType: MediaType;
  readonly projection: Projection;
}

/** The serializations of a resource, in the order of error messages. */
const offered: readonly MediaType[] = ['application/json', 'application/yaml'];

const projections: Readonly<Record<string, Projection>> = {
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/**
 * Returns the first representation of the Accept header that this server has, or JSON if the header accepts anything.
 * Source: Kubernetes documentation "Kubernetes API Concepts", "Alternate representations of resources".
 */
export function negotiate(request: ApiRequest): Representation {
  for (const clause of (request.headers.accept ?? '').split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const mediaType = type === '*/*' || type === '' ? 'application/json' : offered.find((each) => each === type);
    const kind = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
    const projection = kind === undefined ? 'whole' : projections[kind];
    if (mediaType !== undefined && projection !== undefined) return { mediaType, projection };
  }
  return { mediaType: 'application/json', projection: 'whole' };
}

/** Returns the error for a request that accepts none of the representations. */
export function notAcceptable(): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`);
}
