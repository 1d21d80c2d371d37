import { boolean } from '../../util/check-options.js';
import { checkRuleOptions } from '../check-rule-options.js';
import type { Objection, Rule } from '../rule.js';
import { deny } from '../rule.js';
import { containerLists, podSpecPath } from './pod-templates.js';

const digest = /@sha256:[0-9a-f]{64}$/;

/**
 * Denies images that a stack declares without a version: with the tag `latest`, or with none.
 *
 * @param options `digest`: true to accept only images with a digest. @default false
 * @throws FieldwiseError `option-invalid`.
 */
export function pinnedImages(options: { readonly digest?: boolean } = {}): Rule {
  checkRuleOptions({ digest: boolean }, options);
  const { digest: needsDigest = false } = options;
  return deny(
    (change) => {
      const podSpec = podSpecPath(change);
      if (podSpec === undefined || change.deletes) return [];
      const images = containerLists.flatMap((list) => change.declares(`${podSpec}.${list}[*].image`));
      return images.flatMap(({ field, newValue, oldValue }): Objection[] => {
        const image = newValue ?? oldValue;
        if (typeof image !== 'string' || isPinned(image, needsDigest)) return [];
        const wanted = needsDigest ? 'its digest, as NAME:VERSION@sha256:…' : 'a version, as NAME:VERSION';
        return [{ field, message: `runs image ${image}, whose content may change: write ${wanted}` }];
      });
    },
    { name: 'pinned-images' },
  );
}

function isPinned(image: string, needsDigest: boolean): boolean {
  if (digest.test(image)) return true;
  if (needsDigest) return false;
  // A colon before the last slash is that of a port.
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1];
  return tag !== undefined && tag !== '' && tag !== 'latest';
}
