import { pathOfPlace } from '../../../data/place.ts';
import { usePlace } from '../../../data/usePlace.ts';
import { Link } from '../../../ui/Link.tsx';

/** Where ids without text get a tokenizer: in the sources of the run. */
export function TokenizerLink() {
  const place = usePlace();
  if (!('runKey' in place)) return null;
  return (
    <Link className="is-link" href={`${pathOfPlace({ view: 'run', runKey: place.runKey })}?tab=sources`}>
      Give a tokenizer.json, which places them
    </Link>
  );
}
