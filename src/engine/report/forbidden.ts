import { ApiError, isForbidden } from '../../kubernetes/index.js';
import type { ErrorCode } from '../../util/error-codes.js';

/** The next step after a refusal with status 403, and its code. */
interface Advice {
  readonly code: Extract<ErrorCode, 'forbidden' | 'admission-denied'>;
  readonly next: string;
}

/** The part of a server that refuses a request with status 403; `admission` where the text does not tell which plugin. */
export type Refuser = 'authorizer' | 'escalation' | 'quota' | 'limits' | 'pod-security' | 'class' | 'account' | 'admission';

interface KnownRefusal {
  readonly by: Refuser;
  readonly says: RegExp;
  readonly advise: (groups: Readonly<Record<string, string>>) => Advice;
}

const admission = (next: string): Advice => ({ code: 'admission-denied', next });

/**
 * Refusals that a server answers with the same status as a missing right, by their texts. Source: observed with Kubernetes 1.36, and its documentation
 * of admission plugins ("Admission Control in Kubernetes").
 */
const knownRefusals: readonly KnownRefusal[] = [
  {
    by: 'escalation',
    says: /is attempting to grant RBAC permissions not currently held/,
    advise: () => ({
      code: 'forbidden',
      next: 'Nobody may grant rights without holding them. Deploy with credentials that hold all that the message lists, or that have the verb `escalate` on roles, or `bind` on the role that a binding names.',
    }),
  },
  {
    by: 'quota',
    says: /exceeded quota: (?<quota>[^,\s]+)/,
    advise: ({ quota }) =>
      admission(
        `Declare less of what ResourceQuota ${quota} counts, remove what is not needed, or have the quota raised by those who keep it.`,
      ),
  },
  {
    by: 'quota',
    says: /failed quota: (?<quota>\S+): must specify/,
    advise: ({ quota }) =>
      admission(`Declare what the message names: ResourceQuota ${quota} counts it. A LimitRange in the namespace can set it by default.`),
  },
  {
    by: 'quota',
    says: /status unknown for quota: (?<quota>[^,\s]+)/,
    advise: ({ quota }) =>
      admission(
        `The controller of quotas has not counted ResourceQuota ${quota} yet. Deploy again; if that does not help, find out whether it runs.`,
      ),
  },
  {
    by: 'limits',
    says: /(?:maximum|minimum) \S+ usage per \S+ is |limit to request ratio per /,
    advise: () =>
      admission(
        'Declare values within the LimitRange of the namespace (`kubectl get limitranges` shows it), or have it changed by those who keep it.',
      ),
  },
  {
    by: 'pod-security',
    says: /violates PodSecurity "(?<level>[^":]+)/,
    advise: ({ level }) =>
      admission(
        `Change the pod as the message says, or have the label pod-security.kubernetes.io/enforce: ${level} of the namespace changed by those who keep it.`,
      ),
  },
  {
    by: 'class',
    says: /no PriorityClass with name (?<name>\S+) was found/,
    advise: ({ name }) =>
      admission(`Create PriorityClass ${name} or declare it, or name one that exists (\`kubectl get priorityclasses\`).`),
  },
  {
    by: 'class',
    says: /RuntimeClass "(?<name>[^"]+)" not found/,
    advise: ({ name }) => admission(`Create RuntimeClass ${name} or declare it, or name one that exists (\`kubectl get runtimeclasses\`).`),
  },
  {
    by: 'account',
    says: /error looking up service account (?<namespace>[^/\s]+)\/(?<name>[^:\s]+): serviceaccount/,
    advise: ({ namespace, name }) =>
      admission(`Create ServiceAccount ${name} in namespace ${namespace} or declare it: it is applied before the pods that use it.`),
  },
];

/** The form of the authorizer alone, from the beginning of the message: behind it are names that others have chosen. */
const ofAuthorizer = /^(?:\S+(?: "[^"]*")? is forbidden: |forbidden: )?User ".*" cannot \w/s;

/** Returns what to do after a refusal with status 403, by its text: of a write, only that of the authorizer says that a right is missing. */
export function adviceOnForbidden(message: string, method = 'PATCH'): Advice {
  if (isOfAuthorizer(message, method))
    return {
      code: 'forbidden',
      next: 'Grant this user the verb on that resource (`fieldwise rbac` prints what the program needs), or deploy with other credentials.',
    };
  for (const { says, advise } of knownRefusals) {
    const match = says.exec(message);
    if (match) return advise(match.groups ?? {});
  }
  return admission(
    'Admission of the server refuses it, and the message says why. Other rights do not help: change the program, or what refuses it.',
  );
}

/** Returns the part of the server that refuses a request with status 403, by its text. */
export function refuserOf(message: string, method = 'PATCH'): Refuser {
  if (isOfAuthorizer(message, method)) return 'authorizer';
  return knownRefusals.find(({ says }) => says.test(message))?.by ?? 'admission';
}

function isOfAuthorizer(message: string, method: string): boolean {
  return method === 'GET' || ofAuthorizer.test(message);
}

/** Returns true if a request was refused because these credentials lack a right, and not by admission, which answers with the same status. */
export function lacksRight(error: unknown): boolean {
  return error instanceof ApiError && isForbidden(error) && adviceOnForbidden(error.message, error.method).code === 'forbidden';
}
