/**
 * `Symbol.asyncDispose`, by which `await using` ends what has a life. Node has it since 20.5; on 20.0 to 20.4, where nothing can ask for
 * it, the members have a symbol of the same description.
 */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? (Symbol.for('nodejs.asyncDispose') as never);
