/**
 * The menu of a run. All rows share one menu, opened at a point: a menu inside a row would be inside a link, and that
 * link would get its clicks and focus.
 */
import { DropdownMenu } from 'radix-ui';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { followOf, useCanFollow, useFollowActions, useFollows } from '../../data/follows.ts';
import { goTo } from '../../data/useRoute.ts';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { useInterface } from '../../state/interface.ts';

export interface MenuPoint {
  readonly run: RunSummary;
  readonly x: number;
  readonly y: number;
}

interface RunMenuProps {
  readonly at: MenuPoint | undefined;
  readonly onClose: () => void;
}

export function RunMenu({ at, onClose }: RunMenuProps) {
  const follows = useFollows();
  const canFollow = useCanFollow();
  const { start, stop } = useFollowActions();
  const showDialog = useInterface((state) => state.showDialog);
  const setNotice = useInterface((state) => state.setNotice);
  if (at === undefined) return null;
  const { run } = at;
  const { runKey } = run;
  const follow = followOf(follows, run.directory);
  const flipFollow = () => {
    const onError = (error: Error) => setNotice(`Not followed: ${error.message}`);
    if (follow === undefined) start.mutate([run.directory], { onError });
    else stop.mutate(follow.path);
  };
  return (
    <DropdownMenu.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span className="menu-anchor" style={{ left: at.x, top: at.y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" sideOffset={4} aria-label={`Run ${run.name}`}>
          <DropdownMenu.Item onSelect={() => goTo({ view: 'run', runKey })}>Open</DropdownMenu.Item>
          <DropdownMenu.Item onSelect={() => goTo({ view: 'run', runKey }, '?tab=sources')}>
            Sources & rules
          </DropdownMenu.Item>
          {(follow !== undefined || canFollow(run.directory)) && (
            <DropdownMenu.Item onSelect={flipFollow}>
              {follow === undefined ? 'Follow its logs' : 'Stop following'}
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Separator />
          {/* Opens after the menu has returned the focus, which would otherwise leave the dialog. */}
          <DropdownMenu.Item onSelect={() => setTimeout(() => showDialog({ kind: 'exportRun', runKey }))}>
            Export as Parquet…
          </DropdownMenu.Item>
          <DropdownMenu.Item onSelect={() => setTimeout(() => showDialog({ kind: 'moveRun', runKey }))}>
            Move to a new library…
          </DropdownMenu.Item>
          <DropdownMenu.Item onSelect={() => setTimeout(() => showDialog({ kind: 'removeRun', runKey }))}>
            Remove from the library… <KeyOf command="run.remove" />
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
