import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useRoute } from '../../data/useRoute.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { bytes, counted } from '../../ui/numbers.ts';

/** Confirms the removal of a run from the library and explains its effects. Any view may open it with `showDialog`. */
export function RemoveRun() {
  const runKey = useDialog('removeRun')?.runKey;
  const showDialog = useInterface((state) => state.showDialog);
  const runs = useRequest('run.list', {}).data;
  const run = runs?.find((one) => one.runKey === runKey);
  if (run === undefined) return null;
  return (
    <Modal onClose={() => showDialog(undefined)} className="dialog remove-run">
      <RemoveRunBody run={run} onDone={() => showDialog(undefined)} />
    </Modal>
  );
}

function RemoveRunBody({ run, onDone }: { readonly run: RunSummary; readonly onDone: () => void }) {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const route = useRoute();
  const remove = useMutation({
    mutationFn: () => client.request('run.remove', { runKey: run.runKey }),
    onSuccess: async (gone) => {
      // Leave the run's page first, since it would fail without the run.
      if ('runKey' in route && route.runKey === run.runKey) goTo({ view: 'library' });
      onDone();
      setNotice(
        `${run.name} removed: ${counted(gone.rollouts, 'rollout')} from ${counted(gone.files, 'file')}, ${bytes(gone.bytes)} freed. Log files are not changed.`,
      );
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Remove {run.name} from the library?</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          {counted(run.rollouts, 'rollout')} in {counted(run.groups, 'group')} are removed from the library,
          with everything read for them. Log files are not changed and can be read again. The library file
          gets smaller at once. While other work uses the file, it keeps its size, and the next logs take the
          free space; Compact, in the menu of the library, frees it, too.
        </p>
        <p className="dim">
          Its logs stay in <span className="mono">{run.directory}</span>
        </p>
        {remove.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {remove.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button autoFocus onClick={onDone}>
            Cancel
          </Button>
          <Button isPrimary disabled={remove.isPending} onClick={() => remove.mutate()}>
            {remove.isPending ? 'Removing…' : `Remove ${counted(run.rollouts, 'rollout')}`}
          </Button>
        </span>
      </div>
    </>
  );
}
