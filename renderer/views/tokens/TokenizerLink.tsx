import { pathOfRoute } from '../../data/route.ts';
import { useRoute } from '../../data/useRoute.ts';
import { Link } from '../../ui/Link.tsx';

/** Links to the run's sources, where a tokenizer can be added for ids without text. */
export function TokenizerLink() {
  const route = useRoute();
  if (!('runKey' in route)) return null;
  return (
    <Link className="is-link" href={`${pathOfRoute({ view: 'run', runKey: route.runKey })}?tab=sources`}>
      Give a tokenizer.json, which places them
    </Link>
  );
}
