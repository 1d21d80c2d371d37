import type { JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { nonNegativeErrors, portNameErrors, portNumberErrors } from '../../api/name-rules.js';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const hooks = ['postStart', 'preStop'];
const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** Validation of each handler, in the order in which the server checks them. */
const handlers: Readonly<Record<string, (handler: JsonObject, field: string) => readonly FieldError[]>> = {
  exec: ({ command }, field) => (command === undefined ? [required(`${field}.command`)] : []),
  httpGet: httpErrors,
  tcpSocket: portErrors,
  grpc: portErrors,
  sleep: () => [],
};

/**
 * Validates the probes and lifecycle hooks of a container.
 * Source: Kubernetes API reference, Probe and LifecycleHandler; messages as observed.
 *
 * @param graceSeconds the time that the Pod has to end
 */
export function handlerErrors(container: JsonObject, at: string, graceSeconds: number): readonly FieldError[] {
  const lifecycle = structOf(container.lifecycle);
  return [
    ...hooks.flatMap((name) => {
      if (lifecycle[name] === undefined) return [];
      const field = `${at}.lifecycle.${name}`;
      return [...handlerTypeErrors(structOf(lifecycle[name]), field), ...sleepErrors(structOf(lifecycle[name]), field, graceSeconds)];
    }),
    ...probes.flatMap((name) => (container[name] === undefined ? [] : probeErrors(structOf(container[name]), name, `${at}.${name}`))),
  ];
}

function probeErrors(probe: JsonObject, name: string, field: string): readonly FieldError[] {
  const { terminationGracePeriodSeconds: seconds, successThreshold } = probe;
  const isReadiness = name === 'readinessProbe';
  const grace =
    isReadiness && seconds !== undefined
      ? [invalidValue(`${field}.terminationGracePeriodSeconds`, seconds, 'must not be set for readinessProbes')]
      : typeof seconds === 'number' && seconds <= 0
        ? [invalidValue(`${field}.terminationGracePeriodSeconds`, seconds, 'must be greater than 0')]
        : [];
  const once = !isReadiness && successThreshold !== undefined && successThreshold !== 1;
  return [
    ...handlerTypeErrors(probe, field),
    ...numbers.flatMap((number) => nonNegativeErrors(`${field}.${number}`, probe[number])),
    ...grace,
    ...(once ? [invalidValue(`${field}.successThreshold`, successThreshold, 'must be 1')] : []),
  ];
}

function handlerTypeErrors(owner: JsonObject, field: string): readonly FieldError[] {
  const [first, ...others] = Object.keys(handlers).filter((name) => owner[name] !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...(handlers[first]?.(structOf(owner[first]), `${field}.${first}`) ?? []),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function sleepErrors({ sleep }: JsonObject, field: string, graceSeconds: number): readonly FieldError[] {
  const { seconds = 0 } = structOf(sleep);
  if (sleep === undefined || (typeof seconds === 'number' && seconds >= 0 && seconds <= graceSeconds)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalidValue(`${field}.sleep`, seconds, detail)];
}

function httpErrors(handler: JsonObject, field: string): readonly FieldError[] {
  const { scheme, httpHeaders } = handler;
  return [
    ...portErrors(handler, field),
    ...(scheme === 'HTTP' || scheme === 'HTTPS' ? [] : [unsupported(`${field}.scheme`, scheme ?? '', ['HTTP', 'HTTPS'])]),
    ...listOf(httpHeaders).flatMap(({ name }) =>
      /^[-A-Za-z0-9]+$/.test(String(name ?? '')) ? [] : [invalidValue(`${field}.httpHeaders`, name ?? '', headerText)],
    ),
  ];
}

function portErrors({ port }: JsonObject, field: string): readonly FieldError[] {
  return typeof port === 'string' ? portNameErrors(`${field}.port`, port) : portNumberErrors(`${field}.port`, port ?? 0);
}
