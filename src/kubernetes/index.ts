export { type AccessReview, isAllowed } from './access-review.js';
export { type AdmissionDenial, admissionDenialOf } from './admission-denial.js';
export type {
  ApplyOptions,
  ApplyResponse,
  ClusterClient,
  DeleteOptions,
  DynamicOptions,
  ListOptions,
  ListResult,
  LogOptions,
  ObjectAddress,
  WatchEvent,
  WatchOptions,
} from './cluster-client.js';
export { type ClusterUid, readClusterUid, readNamespaceUid, systemNamespace } from './cluster-uid.js';
export type { Connection } from './connection.js';
export { createClusterClient } from './create-cluster-client.js';
export type { Resource, ServedResources, UnavailableApi } from './discovery.js';
export { apiServiceOf, customResourceDefinitions, namespaces, unavailableApi } from './discovery.js';
export { type ConnectionOptions, connect } from './kubeconfig/connect.js';
export type { StatusCause } from './status.js';
export { ApiError, isForbidden, isNotFound, isUnavailable } from './status.js';
export { admit, confirmOutcome, isReadOnly, type RequestLock } from './transport/request-lock.js';
export type { Retry } from './transport/retry.js';
export { contendedError, contentionRounds } from './transport/retry.js';
export { toleratedDifferenceMs } from './transport/server-clock.js';
export type { StreamRequest } from './transport/stream.js';
export type { ApiRequest, ApiResponse, RequestContext, RequestSender, TransportOptions } from './transport/transport.js';
export { Transport } from './transport/transport.js';
