import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunDetail, RunSources } from '../../../shared/api/contract.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { JOBS_KEY } from '../../data/followHost.ts';
import { pathOfRoute } from '../../data/route.ts';
import { goTo } from '../../data/useRoute.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { type NeighbourPlace, neighbourPlaces } from './sourcesModel.ts';

interface SameRunProps {
  readonly run: RunDetail;
  readonly sources: RunSources;
}

/** Merges directories into one run by giving them the same name. Their files are read again, and it can be undone. */
export function SameRun({ run, sources }: SameRunProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const [joining, setJoining] = useState<string>();
  const { directory, givenName, directories: named } = sources;
  const places = neighbourPlaces(sources.neighbours);

  const name = useMutation({
    mutationFn: async ({ directories, name }: { directories: readonly string[]; name: string | null }) => {
      for (const one of directories) await client.request('run.setName', { directory: one, name });
    },
    onSuccess: (_answer, { name: given }) => {
      setNotice(
        given === null ? 'Separate runs again; reading their files again' : `Reading both again as ${given}`,
      );
      // The runs of these directories get other keys, so this page would fail.
      goTo({ view: 'library' });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: JOBS_KEY }),
  });

  return (
    <section>
      <h2>The same run elsewhere</h2>
      {givenName !== undefined && (
        <>
          <p>
            One run under the name <b>{givenName}</b>, which{' '}
            {counted(named.length, 'directory', 'directories')} {named.length === 1 ? 'has' : 'have'} been
            given.{' '}
            <Button disabled={name.isPending} onClick={() => name.mutate({ directories: named, name: null })}>
              {' '}
              Remove the name{' '}
            </Button>
          </p>
          <ul className="neighbours">
            {named.map((one) => (
              <li key={one} className="neighbour">
                <span className="mono path-tail" title={one}>
                  <bdi>{one}</bdi>
                </span>
                {named.length > 1 && (
                  <Button
                    disabled={name.isPending}
                    onClick={() => name.mutate({ directories: [one], name: null })}
                  >
                    Remove
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {places.length === 0 ? (
        <p className="muted">
          {run.keySource === 'logged' && givenName === undefined
            ? 'The log names this run, so all logs with that name are one run wherever they are.'
            : 'No run in a directory next to, above or below this one has the same format and the same name, has a problem of this one, or is its evaluation.'}
        </p>
      ) : (
        <ul className="neighbours">
          {places.map((place) => (
            <li key={place.directory}>
              <NeighbourDirectory
                place={place}
                isSameDirectory={place.directory === directory}
                isOpen={joining === place.directory}
                isPending={name.isPending}
                onOpen={() => setJoining(joining === place.directory ? undefined : place.directory)}
                suggestion={givenName ?? run.name}
                onJoin={(given) => name.mutate({ directories: [directory, place.directory], name: given })}
              />
            </li>
          ))}
        </ul>
      )}
      {name.error !== null && (
        <p className="is-wrong" role="alert">
          ✕ {name.error.message}
        </p>
      )}
    </section>
  );
}

interface NeighbourDirectoryProps {
  readonly place: NeighbourPlace;
  readonly isSameDirectory: boolean;
  readonly isOpen: boolean;
  readonly isPending: boolean;
  readonly suggestion: string;
  readonly onOpen: () => void;
  readonly onJoin: (name: string) => void;
}

function NeighbourDirectory({ place, isOpen, suggestion, ...rest }: NeighbourDirectoryProps) {
  const [text, setText] = useState(suggestion);
  const given = text.trim();
  return (
    <>
      <div className="neighbour">
        <span className="mono path-tail" title={plainPath(place.directory)}>
          <bdi>{plainPath(place.directory)}</bdi>
        </span>
        {rest.isSameDirectory ? (
          <small>this directory</small>
        ) : (
          <Button aria-expanded={isOpen} onClick={rest.onOpen}>
            Is the same run…
          </Button>
        )}
        <ul>
          {place.runs.map((one) => (
            <li key={one.runKey}>
              <Link href={pathOfRoute({ view: 'run', runKey: one.runKey })}>{plainLogText(one.name)}</Link>{' '}
              <small>
                {one.kind !== 'train' && `${RUN_KIND_NAMES[one.kind]}, `}
                {plainLogText(one.format)}, {counted(one.rollouts, 'rollout')}
              </small>
            </li>
          ))}
        </ul>
      </div>
      {isOpen && (
        <form
          className="join"
          onSubmit={(event) => {
            event.preventDefault();
            if (given !== '') rest.onJoin(given);
          }}
        >
          <label>
            name of both{' '}
            <input
              className="text-field"
              maxLength={200}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <Button type="submit" isPrimary disabled={given === '' || rest.isPending}>
            {' '}
            Merge{' '}
          </Button>
          <small>All logs of both directories are read again as one run. You can undo this here.</small>
        </form>
      )}
    </>
  );
}
