import type { JsonObject } from '../../util/json.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { admitPod } from './admit-pod.js';
import { admitNamespaceLifecycle } from './namespace-lifecycle.js';
import { admitResize } from './resize-admission.js';
import { refuseMasters } from './subject-restriction.js';

// Plug-ins that decide while an object is written, at the places where the server does. Source: observed.

/** Returns an object with what plug-ins add to it before it is validated; `live` is undefined for a new one. @throws StatusError */
export function mutateWritten(backend: Backend, target: ObjectTarget, object: JsonObject, live: JsonObject | undefined): JsonObject {
  return admitPod(backend, target, live === undefined ? admitNamespaceLifecycle(backend, target, object) : object, live);
}

/** Lets plug-ins decide on a valid object. @throws StatusError */
export function validateWritten(backend: Backend, target: ObjectTarget, object: JsonObject, live: JsonObject | undefined): void {
  if (live === undefined) refuseMasters(target, object);
  else if (target.subresource === 'resize') admitResize(backend, target, object, live);
}
