import type { JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, required } from '../../api/field-error.js';
import { structOf } from '../convert/json-access.js';
import { portNumberErrors } from './name-rules.js';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const hooks = ['postStart', 'preStop'];

/** Validation of each handler, in the order in which the server checks them. */
const handlers: Readonly<Record<string, (handler: JsonObject, field: string) => readonly FieldError[]>> = {
  exec: ({ command }, field) => (command === undefined ? [required(`${field}.command`)] : []),
  httpGet: portErrors,
  tcpSocket: portErrors,
  grpc: portErrors,
  sleep: () => [],
};

/**
 * Validates the probes and lifecycle hooks of a container.
 * Source: Kubernetes API reference, Probe and LifecycleHandler; messages as observed.
 */
export function handlerErrors(container: JsonObject, at: string): readonly FieldError[] {
  return [...definedHandlerErrors(container, probes, at), ...definedHandlerErrors(structOf(container.lifecycle), hooks, `${at}.lifecycle`)];
}

function definedHandlerErrors(owner: JsonObject, names: readonly string[], at: string): readonly FieldError[] {
  return names.flatMap((name) => (owner[name] === undefined ? [] : handlerTypeErrors(structOf(owner[name]), `${at}.${name}`)));
}

function handlerTypeErrors(owner: JsonObject, field: string): readonly FieldError[] {
  const [first, ...others] = Object.keys(handlers).filter((name) => owner[name] !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...(handlers[first]?.(structOf(owner[first]), `${field}.${first}`) ?? []),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function portErrors({ port }: JsonObject, field: string): readonly FieldError[] {
  return typeof port === 'string' ? [] : portNumberErrors(`${field}.port`, port ?? 0);
}
