/** The subject of a page. */
export interface PageSubject {
  /** The title of the page, such as `Plan of shop, instance staging`. */
  readonly title: string;
  /** The cluster, such as `https://127.0.0.1:6443 (context dev)`. */
  readonly cluster: string;
}

/** The data in a page of `owners --output-file html=FILE`. Names, owners and sets of owners are in tables, because most occur in many objects. */
export interface OwnersPageData {
  /** The time of the page (RFC 3339). */
  readonly made: string;
  readonly subject: PageSubject;
  /** Steps of paths as texts: `.spec`, `[port=443]`. */
  readonly names: readonly string[];
  readonly owners: readonly PageOwner[];
  /** Positions in `owners`. */
  readonly sets: readonly (readonly number[])[];
  readonly objects: readonly PageObject[];
}

export interface PageOwner {
  /** The name of the owner as reports print it: `stack gateway`, `kubectl-edit (Update)`. */
  readonly text: string;
  readonly manager: string;
  readonly isStack: boolean;
  /** The owner can release its fields by an apply without them. */
  readonly canRelease: boolean;
}

export interface PageObject {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly apiVersion: string;
  /** The object does not exist, or could not be read. */
  readonly problem?: string;
  /** Positions in `owners`, and the time of the last write of each. */
  readonly times: readonly (readonly [owner: number, time: string])[];
  /** Stacks with the right to delete the object. */
  readonly deleters?: readonly PageDeleter[];
  /** Owners whose intent is merged by Fieldwise, not by the server. */
  readonly dynamic?: readonly number[];
  readonly fields: readonly PageNode[];
}

/** The position of a stack in `owners`, and the owners that keep the object when the stack is destroyed; empty if it is deleted. */
export type PageDeleter = readonly [owner: number, keptBy: string];

/**
 * One field: its name and its set of owners as positions, and either its value as YAML or the fields below it. A field that is owned and
 * does not exist has neither. The last member is present in entries of maps of structs: 1 is such an entry, 2 may be one.
 */
export type PageNode = readonly [name: number, owners: number, content?: string | readonly PageNode[] | null, entry?: 1 | 2];

/** The data in a page of `list --output-file html=FILE`, by which its script filters; the page shows the stacks without it. */
export interface ListPageData {
  /** The states that stacks have, with their numbers as texts. */
  readonly states: readonly (readonly [name: StackState, text: string])[];
  /** In the order of the page. */
  readonly stacks: readonly PageStack[];
}

/** The state of a stack as a team needs it: it looks at the first ones first. */
export type StackState = 'not-ready' | 'in-progress' | 'deploy-failed' | 'not-known' | 'ready';

export interface PageStack {
  readonly state: StackState;
  readonly app: string;
  readonly instance: string;
  readonly namespaces: readonly string[];
}

/** The data in a page of `diff --output-file html=FILE`. */
export interface DiffPageData {
  readonly made: string;
  readonly subject: PageSubject;
  /** The verdict, as the first line in Markdown. */
  readonly headline: string;
  /** The effect of blocked objects on a deploy. */
  readonly blocked?: string;
  readonly warnings: readonly string[];
  /** The classes of the objects, the heaviest first, with their texts. */
  readonly classes: readonly (readonly [name: string, text: string])[];
  /** Changes of fields, because many objects have the same ones. */
  readonly fields: readonly PageFieldChange[];
  /** By stack, that with the heaviest class first, and by class; objects with the same change are beside each other. */
  readonly objects: readonly PageChange[];
}

/** The effect of a deploy on one object. */
export interface PageChange {
  readonly object: string;
  readonly apiVersion: string;
  readonly stack: string;
  readonly action: string;
  /** The name of its class. */
  readonly class: string;
  /** Losses of others, and changes that a reviewer wants to see. */
  readonly effects: readonly string[];
  readonly notes: readonly string[];
  /** The error of a blocked object. */
  readonly problem?: string;
  /** Ways out for a blocked object. */
  readonly ways?: readonly string[];
  /** Declarations with their source lines. */
  readonly declaredBy: readonly string[];
  /** Positions in `fields`. */
  readonly fields: readonly number[];
  /** The group of objects with the same change; absent if it is the only one. */
  readonly group?: number;
}

export interface PageFieldChange {
  readonly field: string;
  readonly change: string;
  /** Neither its value nor its owners change. */
  readonly isQuiet?: true;
  readonly value: PageValue;
  readonly owners?: readonly string[];
  readonly notes?: readonly string[];
}

/** A value that stays, or an old and a new one; of texts of several lines, their difference as lines that begin with `-`, `+`, `@@` or a blank. */
export type PageValue = { readonly stays: string } | { readonly lines: string } | { readonly old?: string; readonly new?: string };
