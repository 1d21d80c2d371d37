import type { JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { withConversions } from '../conversion/conversions.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { admit } from './admit.js';
import { connectAttributes } from './connect-attributes.js';
import { admitByPolicies } from './policy-admission.js';
import type { PolicyAttributes } from './policy-attributes.js';
import type { AdmissionAttributes, Admitted } from './webhook.js';

/**
 * The admission of one request. Mutation comes before an object is validated, validation after that; a connection is only validated. Plug-ins that
 * decide while an object is written are in `written.ts`. Source: Kubernetes documentation "Admission Control".
 */
export class Admission {
  readonly #backend: Backend;
  readonly #target: ObjectTarget;
  readonly #request: ApiRequest;

  constructor(backend: Backend, target: ObjectTarget, request: ApiRequest) {
    this.#backend = backend;
    this.#target = target;
    this.#request = request;
  }

  /** Returns the object as plug-ins and webhooks leave it. @throws StatusError */
  mutate<Content extends JsonObject | null>(attributes: AdmissionAttributes & { readonly object: Content }): Promise<Admitted<Content>> {
    return admit(this.#backend, this.#target, this.#request, attributes);
  }

  /** Lets policies decide on what is valid otherwise. @throws StatusError */
  async validate(attributes: PolicyAttributes): Promise<void> {
    await withConversions(this.#backend, this.#target, () => this.validateNow(attributes));
  }

  /** Does the same in a computation of `withConversions`. @throws StatusError */
  validateNow(attributes: PolicyAttributes): void {
    admitByPolicies(this.#backend, this.#target, this.#request, attributes);
  }

  /** Returns the validation of a new object, for the write that makes it. */
  ofCreate(dryRun: boolean): (object: JsonObject) => void {
    return (object) => this.validateNow({ operation: 'CREATE', object, oldObject: null, dryRun });
  }

  /** Returns the validation of a changed object, for the write that changes it. */
  ofUpdate(oldObject: JsonObject, dryRun: boolean): (object: JsonObject) => void {
    return (object) => this.validateNow({ operation: 'UPDATE', object, oldObject, dryRun });
  }

  /** Lets policies decide on a connection. @throws StatusError */
  async connect(): Promise<void> {
    await this.validate(connectAttributes(this.#target, this.#request));
  }
}
