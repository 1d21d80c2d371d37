/**
 * Somebody else wrote the object between the moment when a request read it and the moment when it would be written: the request begins
 * anew, and nothing is lost. Never reaches a client.
 */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}
