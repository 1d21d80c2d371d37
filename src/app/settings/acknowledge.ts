import type { Construct } from 'constructs';
import type { SynthWarningCodes } from '../../util/error-codes.js';
import { appOf } from '../app-root.js';
import { declarationSource, SourceCache } from '../source-position.js';

/** Type of the construct metadata that contains acknowledgements. */
export const acknowledgementType = 'fieldwise.dev/acknowledged';

/** The acknowledgement of a warning of synth. */
export interface Acknowledgement {
  readonly code: keyof SynthWarningCodes;
  readonly reason: string;
  readonly source?: string;
}

/**
 * Acknowledges a warning of synth: warnings with this code about declarations at or below the construct are not reported. An
 * acknowledgement that matches no warning is itself reported (`acknowledgement-unused`).
 *
 * @param scope a stack, an intent that `own` or `share` returned, or any construct around them.
 * @param code a code of docs/errors.md, such as `secret-in-plain-text`.
 * @param reason an explanation for the next reader of the program.
 *
 * @example
 * acknowledge(stack.own(secret('demo').withStringData({ password: 'demo' })), 'secret-in-plain-text', 'A demo has no secrets');
 */
export function acknowledge(scope: Construct, code: keyof SynthWarningCodes, reason: string): void {
  const source = declarationSource('acknowledge', appOf(scope)?.sourceCache ?? new SourceCache());
  const acknowledgement: Acknowledgement = { code, reason, ...(source === undefined ? {} : { source }) };
  scope.node.addMetadata(acknowledgementType, acknowledgement, { stackTrace: false });
}
