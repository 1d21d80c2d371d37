import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { goTypeOf } from '../api/json-text.js';
import { StatusError } from '../api/status-error.js';

type Scalar = 'text' | 'whole' | 'truth';

/** The type of a member: a scalar, or a struct or its list, by name. `go` is the Go type. */
interface Member {
  readonly go: string;
  readonly is: Scalar | { readonly struct: string; readonly isList?: true };
}

const text = (go = 'string'): Member => ({ go, is: 'text' });
const whole = (go: string): Member => ({ go, is: 'whole' });
const struct = (name: string): Member => ({ go: `v1.${name}`, is: { struct: name } });

/** The structs of an answer, with their members in the order of JSON. Source: Kubernetes API reference, AdmissionReview and Status. */
const structs: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  AdmissionResponse: {
    uid: text('types.UID'),
    allowed: { go: 'bool', is: 'truth' },
    status: struct('Status'),
    patchType: text('v1.PatchType'),
  },
  ListMeta: { selfLink: text(), resourceVersion: text(), continue: text(), remainingItemCount: whole('int64') },
  Status: {
    metadata: struct('ListMeta'),
    status: text(),
    message: text(),
    reason: text('v1.StatusReason'),
    details: struct('StatusDetails'),
    code: whole('int32'),
  },
  StatusCause: { reason: text('v1.CauseType'), message: text(), field: text() },
  StatusDetails: {
    name: text(),
    group: text(),
    kind: text(),
    uid: text('types.UID'),
    causes: { go: '[]v1.StatusCause', is: { struct: 'StatusCause', isList: true } },
    retryAfterSeconds: whole('int32'),
  },
};

const scalars: Readonly<Record<Scalar, (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  whole: (value) => Number.isInteger(value),
  truth: (value) => typeof value === 'boolean',
};

/** Returns a webhook's response, whose members have their types. @throws Error as a decoder of Go says it */
export function checkedAnswer(response: JsonObject): JsonObject {
  checkStruct('AdmissionResponse', response, 'response');
  return response;
}

function checkStruct(name: string, value: JsonObject, path: string): void {
  const members = structs[name] as Readonly<Record<string, Member>>;
  for (const [key, each] of Object.entries(value)) {
    const member = Object.hasOwn(members, key) ? members[key] : undefined;
    if (member !== undefined && each !== undefined && each !== null) checkMember(`${name}.${path}.${key}`, `${path}.${key}`, member, each);
  }
}

function checkMember(field: string, path: string, { go, is }: Member, value: Json): void {
  const refuse = (found: string) => {
    throw new Error(`json: cannot unmarshal ${found} into Go struct field ${field} of type ${go}`);
  };
  if (typeof is === 'string') {
    if (!scalars[is](value)) refuse(is === 'whole' && typeof value === 'number' ? `number ${value}` : goTypeOf(value));
  } else if (is.isList) {
    if (!Array.isArray(value)) refuse(goTypeOf(value));
    for (const item of value as readonly Json[])
      if (item !== null) checkMember(field, path, { go: go.slice(2), is: { struct: is.struct } }, item);
  } else if (isJsonObject(value)) checkStruct(is.struct, value, path);
  else refuse(goTypeOf(value));
}

/** Returns the error of a request that a webhook denies: its Status, which is a failure of at least 400. Source: observed. */
export function denial(name: string, response: JsonObject): StatusError {
  const status = isJsonObject(response.status) ? shown('Status', response.status) : {};
  const {
    code = 0,
    message,
    reason,
    details,
    metadata,
  } = status as {
    code?: number;
    message?: string;
    reason?: string;
    details?: JsonObject;
    metadata?: JsonObject;
  };
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = message ?? reason;
  return new StatusError(Math.max(code, 400), reason, why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`, details, {
    ...(metadata === undefined ? {} : { metadata }),
    ...(status.status === 'Success' ? {} : { status: status.status as string | undefined }),
  });
}

/** Returns a struct with the members that it knows, without scalars and lists that are empty. */
function shown(name: string, value: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  for (const [key, { is }] of Object.entries(structs[name] as Readonly<Record<string, Member>>)) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof is === 'string') {
      if (member) result[key] = member;
    } else if (isJsonObject(member)) result[key] = shown(is.struct, member);
    else if (Array.isArray(member) && member.length > 0)
      result[key] = member.map((item) => shown(is.struct, isJsonObject(item) ? item : {}));
  }
  return result;
}
