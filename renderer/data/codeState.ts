/** The code of a rollout as something to run elsewhere, with words that say where it is from. */
import type { RolloutDetail } from '../../shared/api/contract.ts';
import {
  type CodeCell,
  codeCells,
  notebookOf,
  scriptOf,
  scriptOfCell,
} from '../../shared/domain/codeCells.ts';

/** `demo · step 3 · p7 · #12`. */
export function codeTitle({ row, run }: Pick<RolloutDetail, 'row' | 'run'>): string {
  const step = run.hasSteps ? [`step ${row.step}`] : [];
  return [run.name, ...step, row.groupKey, `#${row.ordinal}`].join(' \u00b7 ');
}

/** What any file system takes, and still tells rollouts apart. */
export function codeFileName(detail: Pick<RolloutDetail, 'row' | 'run'>, extension: 'py' | 'ipynb'): string {
  const plain = codeTitle(detail)
    .replaceAll('#', '')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '');
  return `${plain.slice(0, 120) || 'rollout'}.${extension}`;
}

export interface CodeState {
  /** Calls whose code can be read. */
  readonly cells: number;
  /** Segments of these calls. */
  readonly hasCell: (segment: number) => boolean;
  /** The one cell; undefined where the segment is none. */
  readonly cellScript: (segment: number) => string | undefined;
  /** All cells up to and with this segment. */
  readonly scriptTo: (segment: number) => string;
  readonly script: () => string;
  readonly notebook: () => string;
}

const states = new WeakMap<RolloutDetail, CodeState>();

/** The same one for all cells of a rollout. Cells and scripts are made when they are asked for: most never are. */
export function codeStateOf(detail: RolloutDetail): CodeState {
  const known = states.get(detail) ?? newState(detail);
  states.set(detail, known);
  return known;
}

function newState(detail: RolloutDetail): CodeState {
  const { toolCalls } = detail;
  const title = codeTitle(detail);
  const withCode = toolCalls.filter(({ code }) => code !== undefined);
  const segments = new Set(withCode.map(({ callSegment }) => callSegment));
  let made: readonly CodeCell[] | undefined;
  const cells = (): readonly CodeCell[] => {
    made ??= codeCells(detail);
    return made;
  };
  const segmentOf = ({ call }: CodeCell): number => toolCalls[call]?.callSegment ?? 0;
  return {
    cells: withCode.length,
    hasCell: (segment) => segments.has(segment),
    cellScript: (segment) => {
      const cell = cells().find((one) => segmentOf(one) === segment);
      return cell === undefined ? undefined : scriptOfCell(cell, title);
    },
    scriptTo: (segment) =>
      scriptOf(
        cells().filter((cell) => segmentOf(cell) <= segment),
        title,
      ),
    script: () => scriptOf(cells(), title),
    notebook: () => notebookOf(cells(), title),
  };
}
