import type { Resource } from './resource.js';

/** A resource as discovery describes it. */
export interface DiscoveredResource
  extends Pick<Resource, 'group' | 'plural' | 'singular' | 'kind' | 'namespaced' | 'verbs' | 'shortNames' | 'categories' | 'versions'>,
    Partial<Pick<Resource, 'storage' | 'strategy'>> {
  /** False for reviews, whose objects are not stored. */
  readonly stored?: false;
}
