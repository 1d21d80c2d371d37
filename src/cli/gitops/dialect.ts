import type { IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import type { JsonObject } from '../../util/json.js';
import type { Yields } from './yields.js';

/** The settings of the documents: `gitops` in fieldwise.yaml, and the directory of the stacks in the repository. */
export interface GitopsSettings {
  readonly repoURL?: string;
  readonly targetRevision?: string;
  readonly namespace?: string;
  readonly project?: string;
  readonly server?: string;
  readonly sourceRef?: { readonly kind?: string; readonly name: string; readonly namespace?: string };
  /** The directory of the output in the repository, with forward slashes. */
  readonly path: string;
}

/** An intent that is written as a document. */
export interface PlainIntent {
  readonly intent: IntentManifest;
  readonly object: PartialObject;
  readonly yields: Yields;
  /** The intents of a wave come after those of earlier waves of the stack. */
  readonly wave: number;
}

/** A stack whose intents are written as documents. */
export interface PlainStack {
  readonly stack: StackManifest;
  /** The name of its Application or Kustomization. */
  readonly name: string;
  /** The directory of its documents in the repository. */
  readonly path: string;
  readonly intents: readonly PlainIntent[];
  /** The names of the documents of the stacks that come before. */
  readonly dependsOn: readonly string[];
  /** The length of the longest chain of stacks that come before. */
  readonly level: number;
}

/** The words in which a tool takes what a stack says. */
export interface Dialect {
  /** Its name in sentences. */
  readonly title: string;
  /** Its field manager. */
  readonly manager: string;
  /** The kind of the document of a stack, such as `Application`. */
  readonly kind: string;
  /** Returns the annotations of an object by which the tool treats it as the intent says. */
  annotationsOf(plain: PlainIntent): Readonly<Record<string, string>>;
  /**
   * Returns the rules by which the tool leaves fields of an object alone.
   *
   * @throws FieldwiseError `gitops-refused`.
   */
  ignoreRules(plain: PlainIntent): readonly JsonObject[];
  /** Returns the document that makes the tool apply a stack. */
  documentOf(stack: PlainStack, rules: readonly JsonObject[], settings: GitopsSettings): JsonObject;
  /** Returns sentences about what an intent says and the tool does not do, beside those for every tool. */
  lossesOf(plain: PlainIntent, stack: StackManifest): readonly string[];
  /** Returns sentences about what a stack says and the tool does not do. */
  stackLosses(stack: PlainStack): readonly string[];
}
