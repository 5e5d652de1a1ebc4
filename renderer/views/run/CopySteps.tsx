import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isCancelled } from '../../../shared/api/errors.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useLongTask } from '../../data/useLongQuery.ts';
import { goTo } from '../../data/useRoute.ts';
import { readLogs } from '../../shell/useIngestActions.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import type { Selected } from '../../ui/virtualTableProps.ts';
import type { StepRow } from '../../widgets/tables/stepRows.ts';

interface CopyStepsProps {
  readonly runKey: string;
  readonly selected: Selected<StepRow>;
  /** Empty: no rollouts are chosen. */
  readonly filter: string;
  /** Rollouts that match the filter, at all steps. */
  readonly matching: number;
}

/** Copies steps of the warehouse, or the rollouts that a filter chose as a run of their own. */
export function CopySteps({ runKey, selected, filter, matching }: CopyStepsProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const [isRunning, setRunning] = useState(false);
  const task = useLongTask('warehouse.keep', {
    onRunning: setRunning,
    afterwards: async ({ path, runKey: copy }) => {
      // A former copy may have rollouts that the filter does not choose any more.
      const isThere = (await client.request('run.list', {})).some((run) => run.runKey === copy);
      if (copy !== runKey && isThere) await client.request('run.remove', { runKey: copy });
      await readLogs(client, [path]);
    },
    onSuccess: ({ runKey: copy, rollouts, steps }) => {
      setNotice(`${counted(rollouts, 'rollout')} of ${counted(steps, 'step')} copied`);
      void queryClient.invalidateQueries();
      if (copy !== runKey) goTo({ view: 'run', runKey: copy });
    },
  });
  const copySelected = async () => {
    const rows = await selected.rows(new AbortController().signal);
    task.start({ run: runKey, steps: rows.map(({ step }) => step), filter: '' });
  };
  if (isRunning)
    return (
      <>
        <progress aria-label="Rollouts copied" value={task.progress?.share ?? 0} max={1} />
        <Button onClick={task.stop}>Stop</Button>
      </>
    );
  return (
    <>
      {task.error !== null && !isCancelled(task.error) && (
        <span className="is-wrong" role="alert">
          {task.error.message}
        </span>
      )}
      {selected.count > 0 && (
        <Button onClick={() => void copySelected()} title="From the warehouse, with texts and tokens">
          Copy {counted(selected.count, 'step')} here
        </Button>
      )}
      {filter !== '' && matching > 0 && (
        <Button
          onClick={() => task.start({ run: runKey, filter })}
          title="The rollouts that match, of all steps of the warehouse, as a run of their own"
        >
          Keep a copy of {counted(matching, 'rollout')}
        </Button>
      )}
    </>
  );
}
