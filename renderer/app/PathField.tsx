/** Where something new is to lie: typed, or chosen in the system's dialog where there is one. */
import { useId } from 'react';
import { useClient } from '../data/DataProvider.tsx';
import { useRequest } from '../data/useRequest.ts';
import { Button } from '../ui/Controls.tsx';

interface PathFieldProps {
  readonly label: string;
  /** What becomes of a bare name, and of what is there already. */
  readonly hint: string;
  readonly path: string;
  readonly onPath: (path: string) => void;
  readonly isDisabled: boolean;
}

export function PathField({ label, hint, path, onPath, isDisabled }: PathFieldProps) {
  const id = useId();
  const client = useClient();
  const isDesktop = useRequest('host.info', {}).data?.shell === 'desktop';
  const choose = async () => {
    const chosen = await client.request('shell.saveDialog', { name: path.trim() });
    if (chosen.path !== undefined) onPath(chosen.path);
  };
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="path-row">
        <input
          id={id}
          className="text-field mono"
          spellCheck={false}
          disabled={isDisabled}
          value={path}
          onChange={(event) => onPath(event.target.value)}
        />
        {isDesktop && (
          <Button disabled={isDisabled} onClick={() => void choose()}>
            Choose…
          </Button>
        )}
      </span>
      <p className="dim">{hint}</p>
    </>
  );
}

/** Fit for a file on any system. */
export function fileName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return plain === '' ? 'run' : plain;
}
