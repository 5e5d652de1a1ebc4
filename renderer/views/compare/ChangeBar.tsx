/** The place in a list of problems that became correct or incorrect, and the way to the next one. */
import {
  changedTo,
  changePath,
  changeSpan,
  changesPack,
  changesPath,
  readChange,
} from '../../data/changesLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count } from '../../ui/numbers.ts';
import { ListBar, ListSteps } from '../../widgets/ListBar.tsx';

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
    // A notice about the pair before would seem to be about this one.
    const notice =
      problem === undefined ? `No ${by === 1 ? 'next' : 'previous'} problem in the list` : undefined;
    useInterface.getState().setNotice(notice);
    if (problem === undefined) return;
    // The list shows the problem that one comes back from.
    const list = changesPath(change.link);
    rememberListPosition(list, { ...listPosition(list), cursor: index });
    navigateTo(changePath(change.link, index, problem, query));
  };
  useCommands({
    'change.next': change === undefined ? undefined : () => step(1),
    'change.previous': change === undefined ? undefined : () => step(-1),
  });
  if (change === undefined) return null;
  const { link, index } = change;
  const ends =
    from === undefined || to === undefined
      ? undefined
      : ([
          { run: from, step: link.from.step },
          { run: to, step: link.to.step },
        ] as const);
  return (
    <ListBar
      label="Changed problems"
      buttons={
        <>
          <Button disabled={index + 1 >= listed.length} onClick={() => step(1)}>
            {keyed('Next pair', 'change.next')}
          </Button>
          {ends !== undefined && listed.length > 0 && (
            <Button
              title="All pairs of the list, as a page or as JSONL"
              onClick={() =>
                useInterface
                  .getState()
                  .showDialog({ kind: 'exportPack', scope: changesPack(link.became, ...ends) })
              }
            >
              Export pairs…
            </Button>
          )}
          <Button onClick={() => navigateTo(changesPath(link))}>Back to the list</Button>
          <ListSteps
            entry="problem"
            index={index}
            count={listed.length}
            previous="change.previous"
            next="change.next"
            onStep={step}
            onLeave={() => setQuery({ changes: undefined, change: undefined })}
            leaveLabel="Leave the queue; the comparison stays"
          />
        </>
      }
    >
      {changes.error !== null ? (
        <span className="is-wrong">✕ {changes.error.message}</span>
      ) : (
        <b>{changes.data === undefined ? '…' : `${count(index + 1)} of ${count(listed.length)}`}</b>
      )}
      <Link href={changesPath(link)}>Problems that became {link.became}</Link>
      <span className="muted">{ends !== undefined && changeSpan(...ends)}</span>
    </ListBar>
  );
}
