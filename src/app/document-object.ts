import { Construct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import { hasBrand } from '../util/has-brand.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { brandWith, documentBrand } from './brand.js';
import type { Alteration } from './included-alterations.js';
import { freeId } from './intent.js';

/** An object of a document, and what the command line says about it. */
export interface DocumentObjectProps {
  /** The object as the document declares it. */
  readonly object: JsonObject;
  /** Position of the object, such as `web.yaml:12`. */
  readonly source: string;
  /** The lifecycle, unless an annotation of the object sets it. */
  readonly lifecycle: Lifecycle;
  /** Keys that the parser read differently from the text. */
  readonly alterations?: readonly Alteration[];
  /** Objects of a phase are applied after those of earlier phases, and by kind within it. */
  readonly phase?: number | undefined;
}

/**
 * An object of a YAML or JSON document that is deployed without a program. Others wrote it: fields that do not fit its schema are warnings,
 * and its annotation sets the policy.
 */
export class DocumentObject extends Construct {
  readonly object: JsonObject;
  readonly source: string;
  readonly lifecycle: Lifecycle;
  readonly alterations: readonly Alteration[];
  readonly phase: number | undefined;

  constructor(scope: Construct, { object, source, lifecycle, alterations = [], phase }: DocumentObjectProps) {
    super(scope, freeId(scope, idOf(object)));
    this.object = object;
    this.source = source;
    this.lifecycle = lifecycle;
    this.alterations = alterations;
    this.phase = phase;
    brandWith(this, documentBrand);
  }

  /** Returns true for objects of documents. */
  static isDocumentObject(value: unknown): value is DocumentObject {
    return hasBrand(value, documentBrand);
  }
}

/** Returns an id such as `Deployment-shop-web`. */
function idOf({ kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return [kind, namespace, name].filter((part) => typeof part === 'string' && part !== '').join('-') || 'document';
}
