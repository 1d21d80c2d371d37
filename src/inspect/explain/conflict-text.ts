/** The program that printed a conflict, as far as its words tell. */
export type MessageTool = 'argo-cd' | 'crossplane' | 'flux' | 'helm-3' | 'helm-4' | 'kubectl' | 'pulumi' | 'terraform' | 'unknown';

/** An object as a text names it: often not as a whole. */
export interface NamedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An owner whose value another client contests, as the server writes it. */
export interface ContestingOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  /** RFC 3339; only old servers name it. */
  readonly time?: string;
}

/** A field and an owner of it. */
export interface ContestedField extends ContestingOwner {
  /** Such as `.spec.template.spec.containers[name="web"].image`. */
  readonly field: string;
}

/** A refused apply. */
export interface FieldConflictText {
  readonly about: 'fields';
  readonly tool: MessageTool;
  readonly object?: NamedObject;
  readonly fields: readonly ContestedField[];
  /** The number of conflicts that the server counted; greater than that of the fields if the text is cut off. */
  readonly count: number;
}

/** A refusal of Helm: the object exists and does not belong to the release. */
export interface ReleaseConflictText {
  readonly about: 'release';
  readonly tool: 'helm-3' | 'helm-4' | 'unknown';
  readonly object: NamedObject;
  /** The release that the object belongs to; absent if it belongs to none. */
  readonly release?: string;
  /** The release that was to be installed. */
  readonly wanted?: string;
  /** The namespace of that release. */
  readonly wantedNamespace?: string;
}

export type ConflictText = FieldConflictText | ReleaseConflictText;
