import { useAnnotations, useTaxonomy } from '../../../data/annotations.ts';
import { AnnotationChips } from '../../replay/labels/AnnotationChips.tsx';

/** Labels and notes of a lane's rollout, wherever they are in it. Nothing if it has none. */
export function LaneChips({ rolloutId }: { readonly rolloutId: number }) {
  const annotations = useAnnotations(rolloutId)?.annotations ?? [];
  return <AnnotationChips annotations={annotations} taxonomy={useTaxonomy()} />;
}
