/** What can be done with a chart: read it as a table, and save it as PNG, SVG or CSV. */
import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { pngOf } from '../../../charts/exportChart.ts';
import { useInterface } from '../../../state/interface.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { saveText } from '../../../ui/saveText.ts';

/** For a page of a paper, light and of one size; or as it is here. */
export type Look = 'figure' | 'screen';

interface ChartMenuProps {
  readonly title: string;
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
  /** Names of files, without what follows the dot. */
  readonly fileName: string;
  /** As an SVG file that stands alone; undefined: there is none at present. */
  readonly drawing: (look: Look) => string | undefined;
  readonly csv: () => string;
  readonly provenance: 'recomputed' | 'logged';
  /** Stands in the head before the menu. */
  readonly head?: ReactNode;
  /** Further items. */
  readonly children?: ReactNode;
}

export function ChartMenu(props: ChartMenuProps) {
  const { title, isTable, provenance } = props;
  const setNotice = useInterface((state) => state.setNotice);
  const saveSvg = () => {
    const text = props.drawing('figure');
    if (text !== undefined) saveText(`${props.fileName}.svg`, text, 'image/svg+xml');
  };
  const savePng = (look: Look) => {
    const text = props.drawing(look);
    if (text === undefined) return;
    pngOf(text).then(
      (blob) => saveText(`${props.fileName}.png`, blob, 'image/png'),
      (error: unknown) => setNotice(`No PNG: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return (
    <>
      {props.head}
      <span className={`panel-source is-${provenance}`} title={PROVENANCE[provenance]}>
        {provenance}
      </span>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label={`${title}: table, save`}>
            <Ellipsis size={13} />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={2} aria-label={title}>
            <DropdownMenu.Item onSelect={() => props.onTable(!isTable)}>
              {isTable ? 'Show the drawing' : 'Show the numbers'}
            </DropdownMenu.Item>
            {props.children}
            <DropdownMenu.Separator />
            <DropdownMenu.Item disabled={isTable} onSelect={() => savePng('figure')}>
              Save as PNG
            </DropdownMenu.Item>
            <DropdownMenu.Item disabled={isTable} onSelect={saveSvg}>
              Save as SVG
            </DropdownMenu.Item>
            <DropdownMenu.Item disabled={isTable} onSelect={() => savePng('screen')}>
              PNG as on the screen
            </DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => saveText(`${props.fileName}.csv`, props.csv(), 'text/csv')}>
              Save as CSV
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </>
  );
}

/** `demo-tool-latency`. */
export function chartFileName(of: string, title: string): string {
  return `${of}-${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

const PROVENANCE = {
  recomputed: 'Computed by Turnwise from the rollouts that were read',
  logged: 'As the trainer wrote it',
} as const;
