/** The place in a list of problems that became correct or incorrect, and the way to the next one. */
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { changedTo, changePath, changesPath, readChange } from '../../data/changesLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count } from '../../ui/numbers.ts';

/** Nothing if the comparison was not opened from such a list. */
export function ChangeBar() {
  const [query, setQuery] = useUrlQuery();
  const change = readChange(query);
  const from = useRequest(
    'run.get',
    change === undefined ? undefined : { runKey: change.link.from.run },
  ).data;
  const to = useRequest('run.get', change === undefined ? undefined : { runKey: change.link.to.run }).data;
  const changes = useRequest(
    'problem.changes',
    change === undefined || from === undefined || to === undefined
      ? undefined
      : {
          from: { runId: from.runId, step: change.link.from.step },
          to: { runId: to.runId, step: change.link.to.step },
        },
  );
  const listed =
    change === undefined || changes.data === undefined ? [] : changedTo(changes.data, change.link.became);
  const step = (by: 1 | -1): void => {
    if (change === undefined) return;
    const index = change.index + by;
    const problem = listed[index];
    if (problem === undefined)
      useInterface.getState().setNotice(`No ${by === 1 ? 'next' : 'previous'} problem in the list`);
    else navigateTo(changePath(change.link, index, problem));
  };
  useCommands({
    'change.next': change === undefined ? undefined : () => step(1),
    'change.previous': change === undefined ? undefined : () => step(-1),
  });
  if (change === undefined) return null;
  const { link, index } = change;
  const place = (run: typeof from, at: number): string => (run?.hasSteps === false ? run.name : `step ${at}`);
  const isSame = link.from.run === link.to.run;
  const other = isSame || to === undefined ? '' : ` of ${to.name}`;
  return (
    <section className="queue-bar" aria-label="Changed problems">
      <span className="queue-at">
        {changes.error !== null ? (
          <span className="is-wrong">✕ {changes.error.message}</span>
        ) : (
          <b>{changes.data === undefined ? '…' : `${count(index + 1)} of ${count(listed.length)}`}</b>
        )}
        <Link href={changesPath(link)}>Problems that became {link.became}</Link>
        <span className="muted">
          from {place(from, link.from.step)} to {place(to, link.to.step)}
          {other}
        </span>
      </span>
      <span className="queue-buttons">
        <IconButton
          label="Previous problem"
          keys={keyOf('change.previous')}
          disabled={index === 0 || listed.length === 0}
          onClick={() => step(-1)}
        >
          <ChevronUp size={15} />
        </IconButton>
        <IconButton
          label="Next problem"
          keys={keyOf('change.next')}
          disabled={index + 1 >= listed.length}
          onClick={() => step(1)}
        >
          <ChevronDown size={15} />
        </IconButton>
        <IconButton
          label="Leave the list of problems"
          onClick={() => setQuery({ changes: undefined, change: undefined })}
        >
          <X size={15} />
        </IconButton>
      </span>
    </section>
  );
}
