export type {
  ApplyAnswer,
  ApplyOptions,
  Cluster,
  DeleteOptions,
  DynamicOptions,
  ListedAt,
  ListOptions,
  ObjectAddress,
  WatchEvent,
  WatchOptions,
} from './cluster.js';
export { clusterOver } from './cluster.js';
export type { Connection, ConnectionOptions } from './connection.js';
export { connect } from './connection.js';
export { contended, contentionRounds } from './contended.js';
export type { Resource, ServedResources, UnavailableApi } from './discovery.js';
export { apiServiceOf, unavailableApi } from './discovery.js';
export { customResourceDefinitions, namespaces } from './known-resources.js';
export type { Retry } from './retry.js';
export type { StatusCause } from './status.js';
export { ApiError, isAway, isForbidden, isNotFound } from './status.js';
export type { ApiRequest, ApiResponse, Attendance, RequestSender, TransportOptions } from './transport.js';
export { Transport } from './transport.js';
