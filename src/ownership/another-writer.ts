/** Stands for whoever wrote a field where the server does not record it. */
export const anotherWriter = 'another writer';
