const unknownCreator = 'its inventory did not list it, so whether this stack created it is not known';

interface ExistingObject {
  /** The stack had applied it before, and its inventory did not list it. */
  readonly unlisted?: true;
}

/** Returns what a plan says of an object that existed before its stack owned it. */
export function plannedExistingText({ unlisted }: ExistingObject): string {
  return `existed before: ${unlisted ? unknownCreator : 'this stack did not create it'}`;
}

/** Returns what a report says of such an object. */
export function existingText({ unlisted }: ExistingObject): string {
  return unlisted ? `existed before: ${unknownCreator}` : 'existed before';
}
