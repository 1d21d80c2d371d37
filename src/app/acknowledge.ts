import type { Construct } from 'constructs';
import { appOf } from './app-root.js';
import { declarationSource } from './source-position.js';

/** Type of the construct metadata that carries acknowledgements. */
export const acknowledgementType = 'fieldwise.dev/acknowledged';

/** A warning of synth that the program knows of. */
export interface Acknowledgement {
  readonly code: string;
  readonly reason: string;
  readonly source?: string;
}

/**
 * Says that a warning of synth is known and meant: warnings with this code about what is declared at or below the construct disappear.
 * An acknowledgement that no warning needs is a warning itself (`acknowledgement-unused`).
 *
 * @param scope a stack, an intent as `own` and `share` return it, or any construct around them.
 * @param code a code of docs/errors.md, such as `secret-in-plain-text`.
 * @param reason for the next reader.
 *
 * @example
 * acknowledge(stack.own(secret('demo').withStringData({ password: 'demo' })), 'secret-in-plain-text', 'A demo has no secrets');
 */
export function acknowledge(scope: Construct, code: string, reason: string): void {
  const source = declarationSource('acknowledge', appOf(scope)?.sourceLines ?? new Map());
  const acknowledgement: Acknowledgement = { code, reason, ...(source === undefined ? {} : { source }) };
  scope.node.addMetadata(acknowledgementType, acknowledgement, { stackTrace: false });
}
