import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { goTo, usePlace } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';
import { useInterface } from '../state/interface.ts';
import { counted } from '../ui/numbers.ts';
import { canRun, runCommand } from './commands.ts';
import { Keys } from './Keys.tsx';
import { COMMANDS, type CommandId } from './keymap.ts';

export function Palette() {
  const isOpen = useInterface((state) => state.dialog === 'palette');
  const showDialog = useInterface((state) => state.showDialog);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => showDialog(open ? 'palette' : undefined)}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog palette" aria-describedby={undefined}>
          <Dialog.Title className="visually-hidden">Command palette</Dialog.Title>
          <PaletteBody onDone={() => showDialog(undefined)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteBody({ onDone }: { readonly onDone: () => void }) {
  const place = usePlace();
  const runs = useRequest('run.list', {}).data ?? [];
  const run = 'runKey' in place ? runs.find((candidate) => candidate.runKey === place.runKey) : undefined;
  const steps = useRequest('step.list', run === undefined ? undefined : { runId: run.runId }).data ?? [];

  const after = (act: () => void) => () => {
    onDone();
    act();
  };
  const runById = (id: CommandId) => after(() => runCommand(id));
  return (
    <Command loop>
      <Command.Input placeholder="A command, a run, or a step…" autoFocus />
      <Command.List>
        <Command.Empty>Nothing of that name here.</Command.Empty>
        <Command.Group heading="Commands">
          {COMMANDS.filter(
            (command) => !command.isMotion && command.id !== 'palette.show' && canRun(command.id),
          ).map((command) => (
            <Command.Item
              key={command.id}
              value={`${command.label} ${command.id}`}
              onSelect={runById(command.id)}
            >
              {command.label}
              <span className="end">
                {command.keys.map((keys) => (
                  <Keys key={keys} keys={keys} />
                ))}
              </span>
            </Command.Item>
          ))}
        </Command.Group>
        {runs.length > 0 && (
          <Command.Group heading="Runs">
            {runs.map((item) => (
              <Command.Item
                key={item.runKey}
                value={`run ${item.name} ${item.runKey}`}
                onSelect={after(() => goTo({ view: 'run', runKey: item.runKey }))}
              >
                {item.name}
                <span className="end">{counted(item.rollouts, 'rollout')}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {run?.hasSteps && steps.length > 0 && (
          <Command.Group heading={`Steps of ${run.name}`}>
            {steps.map((item) => (
              <Command.Item
                key={item.step}
                value={`step ${item.step}`}
                onSelect={after(() => goTo({ view: 'step', runKey: run.runKey, step: item.step }))}
              >
                step {item.step}
                <span className="end">{counted(item.rollouts, 'rollout')}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}
