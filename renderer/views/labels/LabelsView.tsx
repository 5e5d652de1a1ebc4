/** The page of labels and notes, with their reports. */

import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { LABEL_TABS, type LabelTab, tabOf } from '../../data/labelsLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { FilterChips } from '../../widgets/filter/FilterChips.tsx';
import { AgreementTab } from './AgreementTab.tsx';
import { AnnotationsTab } from './AnnotationsTab.tsx';
import { ConflictsTab } from './ConflictsTab.tsx';
import { useLabelsScope } from './labelsScope.ts';
import { ReadTab } from './ReadTab.tsx';
import { ReportTab } from './ReportTab.tsx';
import { TaxonomyTab } from './TaxonomyTab.tsx';
import './labelsView.css';

const WORDS: Readonly<Record<LabelTab, string>> = {
  read: 'Review',
  annotations: 'Annotations',
  report: 'Report',
  agreement: 'Agreement',
  conflicts: 'Conflicts',
  taxonomy: 'Taxonomy',
};

export default function LabelsView() {
  const [query, setQuery] = useUrlQuery();
  const tab = tabOf(query.get('tab'));
  const scope = useLabelsScope();
  const conflicts = useRequest('annotation.conflicts', {}).data?.length ?? 0;
  const { showDialog } = useInterface.getState();
  const by = (step: 1 | -1) => {
    const next = LABEL_TABS[(LABEL_TABS.indexOf(tab) + step + LABEL_TABS.length) % LABEL_TABS.length];
    setQuery({ tab: next });
  };
  const exportPack = () =>
    showDialog({ kind: 'exportPack', scope: { runKey: scope.run?.runKey, filter: scope.filter } });
  useCommands({
    'sibling.next': () => by(1),
    'sibling.previous': () => by(-1),
    'pack.export': exportPack,
    'pack.import': () => showDialog({ kind: 'importPack' }),
  });
  const isScoped = tab !== 'taxonomy' && tab !== 'conflicts';
  return (
    <div className="page labels-page">
      <header className="page-head">
        <h1>Labels</h1>
        <Segmented
          label="Section"
          chosen={tab}
          onChoose={(chosen) => setQuery({ tab: chosen })}
          choices={LABEL_TABS.map((id) => ({
            id,
            label: (
              <>
                {WORDS[id]}
                {id === 'conflicts' && conflicts > 0 && <span className="dim"> {count(conflicts)}</span>}
              </>
            ),
          }))}
        />
        <div className="end">
          <Button onClick={() => showDialog({ kind: 'importPack' })}>Import…</Button>
          <Button
            onClick={exportPack}
            title={keyed('Export labelled rollouts to a file for others', 'pack.export')}
          >
            Export a pack…
          </Button>
        </div>
      </header>
      {isScoped && (
        <div className="labels-scope">
          <select
            aria-label="Run"
            value={scope.run?.runKey ?? ''}
            onChange={(event) =>
              setQuery({ run: event.target.value === '' ? undefined : event.target.value })
            }
          >
            <option value="">all runs</option>
            {scope.runs.map((run) => (
              <option key={run.runKey} value={run.runKey}>
                {plainLogText(run.name)}
                {run.kind === 'train' ? '' : ` (${RUN_KIND_NAMES[run.kind]})`}
              </option>
            ))}
          </select>
          <FilterBox runId={scope.run?.runId} runKey={scope.run?.runKey} what="rollouts" />
          <FilterChips />
        </div>
      )}
      <div className="labels-body">
        {tab === 'read' && <ReadTab scope={scope} />}
        {tab === 'annotations' && <AnnotationsTab scope={scope} />}
        {tab === 'report' && <ReportTab scope={scope} />}
        {tab === 'agreement' && <AgreementTab scope={scope} />}
        {tab === 'conflicts' && <ConflictsTab />}
        {tab === 'taxonomy' && <TaxonomyTab />}
      </div>
    </div>
  );
}
