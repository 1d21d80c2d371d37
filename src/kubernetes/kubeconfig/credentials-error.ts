import { FieldwiseError } from '../../util/error.js';
import type { CredentialSettings } from './credential.js';

/** Returns the error for credentials that cannot be had. */
export function credentialsError(
  { selected, server }: Pick<CredentialSettings, 'selected' | 'server'>,
  what: string,
  next: string,
  cause?: unknown,
): FieldwiseError {
  const { origin } = selected.user;
  return new FieldwiseError('authentication-failed', 'authentication', `The credentials of the kubeconfig do not work: ${what}`, {
    location: { ...(origin === undefined ? {} : { file: origin }), server },
    next,
    ...(cause === undefined ? {} : { cause }),
  });
}
