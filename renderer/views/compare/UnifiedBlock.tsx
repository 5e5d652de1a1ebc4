/** The baseline and one lane as one unified text: first the removed text, then the added text. */
import { useMemo } from 'react';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { withLongWord } from '../../ui/SourceText.tsx';
import { CodeCellButtons } from '../../widgets/CodeState.tsx';
import { RerunResult } from '../../widgets/rerun/RerunResult.tsx';
import { RerunButtons } from '../../widgets/rerun/Reruns.tsx';
import { shownOf, showsIndented } from './blockModel.ts';
import { CellHead, CellText, Changes, pairIn, viewIn } from './Cell.tsx';
import type { RowContext } from './rowContext.ts';
import type { ShownBlock } from './rowModel.ts';
import { WovenLines, WovenProse } from './Texts.tsx';

interface UnifiedBlockProps {
  readonly context: RowContext;
  readonly row: number;
  readonly shown: ShownBlock;
}

export function UnifiedBlock({ context, row, shown }: UnifiedBlockProps) {
  const { compared, on, isElided } = context;
  const { block, key, index } = shown;
  const a = viewIn(compared, block, compared.base);
  const b = viewIn(compared, block, on);
  const pair = useMemo(() => pairIn(compared, block, on), [compared, block, on]);
  const view = b ?? a;
  const owner = compared.lanes[b === undefined ? compared.base : on];
  // The segment belongs only to lanes that are not in the unified text.
  if (view === undefined) return null;
  const stretch = `${key} woven`;
  const text = shownOf(view);
  const isAlone = a === undefined || b === undefined;
  const tag = isAlone
    ? a === undefined
      ? `+ not in ${compared.lanes[compared.base]?.letter ?? ''}`
      : `− not in ${compared.lanes[on]?.letter ?? ''}`
    : pair === undefined
      ? '='
      : '';
  const names = ['cmp-cell'];
  if (isAlone) names.push(a === undefined ? 'is-added' : 'is-removed');
  return (
    <div className="cmp-grid cmp-block">
      <span className="cmp-gutter" />
      <div className={withLongWord(names.join(' '), `${a?.inner ?? ''} ${b?.inner ?? ''}`)}>
        <CellHead
          {...{ view, tag }}
          shown={text}
          isIndented={showsIndented(text, pair, 'b')}
          isMarked={pair?.diff !== undefined}
        >
          {view.call !== undefined && owner !== undefined && (
            <>
              <RerunButtons rolloutId={owner.detail.row.rolloutId} segment={view.index} />
              <CodeCellButtons segment={view.index} detail={owner.detail} />
            </>
          )}
          {pair !== undefined && (
            <button
              type="button"
              className="is-link"
              title={keyed('In the diff editor', 'block.diff')}
              onClick={() => context.onDiff(row, index)}
            >
              diff
            </button>
          )}
        </CellHead>
        {pair?.diff === undefined ? (
          pair === undefined ? (
            <CellText
              view={view}
              shown={text}
              pair={undefined}
              side="b"
              fork={undefined}
              stretch={stretch}
              isElided={isElided}
            />
          ) : (
            <Changes pair={pair} side="both" />
          )
        ) : pair.form === 'prose' ? (
          <WovenProse diff={pair.diff} stretch={stretch} isElided={isElided} />
        ) : (
          <div className={pair.form === 'code' ? 'cmp-code' : 'cmp-output'}>
            <WovenLines
              diff={pair.diff}
              isPython={pair.form === 'code'}
              stretch={stretch}
              isElided={isElided}
            />
            {pair.changes !== undefined && <Changes pair={pair} side="both" />}
          </div>
        )}
        {view.call !== undefined && owner !== undefined && (
          <RerunResult rolloutId={owner.detail.row.rolloutId} segment={view.index} lane={owner.letter} />
        )}
      </div>
    </div>
  );
}
