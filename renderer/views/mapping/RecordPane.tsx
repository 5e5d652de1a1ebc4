import { ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { PreviewRecord, RecordPath } from '../../../shared/api/contract.ts';
import type { Mapping } from '../../../shared/format/mapping.ts';
import { type PathStep, parsePath } from '../../../shared/format/recordPath.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { useIsDark } from '../../theme/theme.ts';
import { IconButton, Segmented } from '../../ui/Controls.tsx';
import { EmptyState, WaitingState } from '../../ui/States.tsx';
import { labelOf, recordCount, type Target } from './mappingModel.ts';
import { PathList } from './PathList.tsx';
import { RecordTree } from './RecordTree.tsx';

const ReadOnlyEditor = lazy(() => import('../../editor/ReadOnlyEditor.tsx'));

interface RecordPaneProps {
  readonly records: readonly PreviewRecord[];
  readonly at: number;
  readonly onAt: (at: number) => void;
  /** The record at `at`, as far as it could be parsed. */
  readonly record: unknown;
  readonly isWaiting: boolean;
  readonly paths: readonly RecordPath[] | undefined;
  readonly target: Target;
  readonly mapping: Mapping;
  readonly onPick: (steps: readonly PathStep[]) => void;
}

type Form = 'values' | 'paths' | 'json';

export function RecordPane(props: RecordPaneProps) {
  const { records, at, onAt, record, paths, target, mapping, onPick } = props;
  const [form, setForm] = useState<Form>('values');
  const isDark = useIsDark();
  const source = records[at];
  const choices = [
    { id: 'values' as const, label: 'Values' },
    ...(paths === undefined
      ? []
      : [{ id: 'paths' as const, label: 'All paths', title: 'Of the first records together' }]),
    { id: 'json' as const, label: 'JSON' },
  ];
  return (
    <section className="mapping-pane" aria-label="Record">
      <div className="mapping-pane-head">
        <h2>Record</h2>
        <IconButton
          label="Previous record"
          data-keeps-focus=""
          keys={keyOf('sibling.previous')}
          disabled={at === 0}
          onClick={() => onAt(at - 1)}
        >
          <ChevronLeft size={15} />
        </IconButton>
        <span className="mapping-count">
          {source === undefined ? '' : recordCount(source.number, at, records.length)}
        </span>
        <IconButton
          label="Next record"
          data-keeps-focus=""
          keys={keyOf('sibling.next')}
          disabled={at >= records.length - 1}
          onClick={() => onAt(at + 1)}
        >
          <ChevronRight size={15} />
        </IconButton>
        <span className="end">
          <Segmented label="Record as" chosen={form} onChoose={setForm} choices={choices} />
        </span>
      </div>
      <div className="mapping-pane-body">
        {form === 'paths' && paths !== undefined ? (
          <PathList paths={paths} target={target} onPick={(path) => onPick(parsePath(path) ?? [])} />
        ) : source === undefined ? (
          props.isWaiting ? (
            <WaitingState title="Reading records…" />
          ) : (
            <EmptyState title="No record could be read" />
          )
        ) : form === 'json' ? (
          <Suspense fallback={<WaitingState title="Loading the editor…" />}>
            <ReadOnlyEditor
              text={source.json}
              language="record"
              label={`Record ${source.number}`}
              isDark={isDark}
            />
          </Suspense>
        ) : record === undefined ? (
          <EmptyState title="This record is not a JSON object" />
        ) : (
          <RecordTree key={source.number} record={record} mapping={mapping} onPick={onPick} />
        )}
      </div>
      <p className="mapping-pane-foot">
        {form === 'json' ? (
          'To choose a value, go to Values or All paths.'
        ) : (
          <>
            Click a value, or press Enter on it: it becomes <b>{labelOf(target)}</b>.
          </>
        )}
        {source?.isCut === true && form !== 'paths' && ' This record is longer; its beginning is shown.'}
      </p>
    </section>
  );
}
