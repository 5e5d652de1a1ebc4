/** The actions of a chart: show as a table, enlarge, and save as PNG, SVG or CSV. */
import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { inLight, pngOf } from '../../charts/exportChart.ts';
import { useInterface } from '../../state/interface.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';

/** `figure`: light theme and fixed size, for a paper. `screen`: as displayed. */
export type Look = 'figure' | 'screen';

interface ChartMenuProps {
  readonly title: string;
  readonly isTable?: boolean;
  /** Absent if the numbers are already shown beside the drawing. */
  readonly onTable?: (isTable: boolean) => void;
  /** Absent if the chart fills its page already. */
  readonly onLarge?: () => void;
  /** File name without its extension. */
  readonly fileName: string;
  /** A self-contained SVG file. Returns undefined if nothing is drawn. Absent for charts on a canvas. */
  readonly drawing?: (look: Look) => string | undefined;
  /** For charts on a canvas. */
  readonly png?: () => Promise<Blob>;
  readonly csv: () => string | Promise<string>;
  readonly provenance: 'from rollouts' | 'logged';
  /** Placed in the head before the menu. */
  readonly head?: ReactNode;
  /** Further items. */
  readonly children?: ReactNode;
}

export function ChartMenu(props: ChartMenuProps) {
  const { title, isTable = false, onTable, drawing, provenance } = props;
  const setNotice = useInterface((state) => state.setNotice);
  const save = (kind: 'svg' | 'png' | 'csv', made: Promise<string | Blob>) => {
    made.then(
      (content) => saveText(`${props.fileName}.${kind}`, content, TYPES[kind]),
      (error: unknown) =>
        setNotice(`No ${kind.toUpperCase()}: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  const drawnAs = (look: Look) => (look === 'figure' ? inLight(() => drawing?.(look)) : drawing?.(look));
  const saveSvg = () => {
    const text = drawnAs('figure');
    if (text !== undefined) save('svg', Promise.resolve(text));
  };
  const savePng = (look: Look) => {
    if (props.png !== undefined) return save('png', props.png());
    const text = drawnAs(look);
    if (text !== undefined) save('png', pngOf(text));
  };
  return (
    <>
      {props.head}
      <span
        className={provenance === 'logged' ? 'panel-source is-logged' : 'panel-source'}
        title={PROVENANCE[provenance]}
      >
        {provenance}
      </span>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label={onTable === undefined ? `${title}: save` : `${title}: table, save`}>
            <Ellipsis size={13} />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={2} aria-label={title}>
            {onTable !== undefined && (
              <DropdownMenu.Item onSelect={() => onTable(!isTable)}>
                {isTable ? 'Show the drawing' : 'Show the numbers'}
              </DropdownMenu.Item>
            )}
            {props.onLarge !== undefined && (
              <DropdownMenu.Item onSelect={props.onLarge}>Full window</DropdownMenu.Item>
            )}
            {props.children}
            {onTable !== undefined && <DropdownMenu.Separator />}
            <DropdownMenu.Item disabled={isTable} onSelect={() => savePng('figure')}>
              Save as PNG
            </DropdownMenu.Item>
            {drawing !== undefined && (
              <>
                <DropdownMenu.Item disabled={isTable} onSelect={saveSvg}>
                  Save as SVG
                </DropdownMenu.Item>
                <DropdownMenu.Item disabled={isTable} onSelect={() => savePng('screen')}>
                  PNG as on the screen
                </DropdownMenu.Item>
              </>
            )}
            <DropdownMenu.Item onSelect={() => save('csv', Promise.resolve().then(props.csv))}>
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

const TYPES = { svg: 'image/svg+xml', png: 'image/png', csv: 'text/csv' } as const;

const PROVENANCE = {
  'from rollouts': 'Computed by Turnwise from the rollouts that were read; their own values are as logged',
  logged: 'As the trainer wrote it',
} as const;
