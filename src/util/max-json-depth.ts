/** The maximum depth of JSON: far more than an API server stores, and far less than overflows the stack of this process. */
export const maxJsonDepth = 1_000;
