import { environmentNames } from '../app/environment.js';
import { FieldwiseError } from '../util/error.js';

/**
 * Makes Node print an error of a synth as one paragraph, without a stack, if nobody catches it: in a program that no command of Fieldwise runs, but
 * node, ts-node or cdk8s. An error that a test or the program catches, and every other error, is as before.
 */
export function sayIfUncaught(error: unknown): void {
  const isOwnProcess = process.env[environmentNames.projectDir] !== undefined;
  if (isOwnProcess || !(error instanceof FieldwiseError) || process.listenerCount('uncaughtException') > 0) return;
  const say = (caught: unknown): void => {
    stop();
    if (caught !== error) throw caught;
    process.stderr.write(`error: ${error.describe()} [${error.code}]\n`);
    process.exit(1); // as Node ends after an error that nobody catches
  };
  const stop = () => process.removeListener('uncaughtException', say);
  process.on('uncaughtException', say);
  // An error of this turn of the event loop that nobody catches has arrived by then.
  setImmediate(stop).unref();
}
