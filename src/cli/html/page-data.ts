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
  /** Owners whose destroy deletes the object. */
  readonly deletedBy?: readonly number[];
  /** Owners whose intent is merged by Fieldwise, not by the server. */
  readonly dynamic?: readonly number[];
  readonly fields: readonly PageNode[];
}

/**
 * One field: its name and its set of owners as positions, and either its value as YAML or the fields below it. A field that is owned and
 * does not exist has neither. The last member is present in entries of maps of structs: 1 is such an entry, 2 may be one.
 */
export type PageNode = readonly [name: number, owners: number, content?: string | readonly PageNode[] | null, entry?: 1 | 2];

/** The data in a page of `diff --output-file html=FILE`. */
export interface DiffPageData {
  readonly made: string;
  readonly subject: PageSubject;
  /** The summary of the plan in one line. */
  readonly summary: string;
  readonly warnings: readonly string[];
  readonly objects: readonly PageChange[];
}

/** The effect of a deploy on one object. */
export interface PageChange {
  readonly object: string;
  readonly stack: string;
  readonly action: string;
  /** The source of the prediction. */
  readonly source: string;
  readonly notes: readonly string[];
  readonly problem?: string;
  /** Declarations with their source lines. */
  readonly declaredBy: readonly string[];
  readonly fields: readonly PageFieldChange[];
}

export interface PageFieldChange {
  readonly field: string;
  readonly change: string;
  /** Neither its value nor its owners change. */
  readonly isQuiet: boolean;
  /** Rows of the old and the new value, side by side. */
  readonly rows: readonly ValueRow[];
  readonly owners: readonly string[];
  readonly notes?: readonly string[];
}

/** One row of two values side by side; a line that only one side has is absent on the other. */
export interface ValueRow {
  readonly old?: string;
  readonly new?: string;
  /** Lines that both sides have and that are left out before this row. */
  readonly omitted?: number;
}
