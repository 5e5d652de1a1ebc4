/** The contents of a pack: labelled rollouts, some labels, all matches of a filter, or selected rollouts. */
import type { PackFormat, PackPreview } from '../../../shared/api/contract.ts';
import { labelOf, useTaxonomy } from '../../data/annotations.ts';
import { useRequest } from '../../data/useRequest.ts';
import type { PackScope, PairScope } from '../../state/interface.ts';
import { LabelName } from '../../ui/Marks.tsx';
import { count, counted } from '../../ui/numbers.ts';

interface PackChoiceProps {
  readonly scope: PackScope;
  /** The run of the scope is known, or the scope has none. */
  readonly isKnown: boolean;
  readonly runId: number | undefined;
  readonly runName: string | undefined;
  readonly labels: readonly string[];
  readonly onLabels: (labels: readonly string[]) => void;
  readonly isAll: boolean;
  readonly onAll: (isAll: boolean) => void;
  readonly preview: PackPreview | undefined;
  readonly error: Error | null;
}

export function PackChoice(props: PackChoiceProps) {
  const { scope, isKnown, runId, runName, labels, onLabels, isAll, onAll, preview, error } = props;
  const taxonomy = useTaxonomy();
  // Offer only labels of this run, since other labels would give an empty pack.
  const report = useRequest('annotation.report', isKnown ? { runId, filter: scope.filter } : undefined);
  const counts = (report.data?.labels ?? []).flatMap(({ label, rollouts }) =>
    label === undefined ? [] : [{ label, rollouts }],
  );
  const isPicked = scope.rolloutIds !== undefined;
  const flip = (label: string) =>
    onLabels(labels.includes(label) ? labels.filter((one) => one !== label) : [...labels, label]);
  return (
    <>
      <p>
        {isPicked
          ? `${counted(scope.rolloutIds.length, 'rollout')} selected`
          : `Labelled rollouts of ${runName ?? 'all runs'}`}
        {scope.filter !== '' && (
          <>
            {' '}
            that match <span className="mono">{scope.filter}</span>
          </>
        )}
        .
      </p>
      {!isPicked && !isAll && counts.length > 0 && (
        <fieldset className="pack-labels">
          <legend>Only with</legend>
          {counts.map(({ label, rollouts }) => (
            <label key={label}>
              <input type="checkbox" checked={labels.includes(label)} onChange={() => flip(label)} />
              <LabelName label={labelOf(taxonomy, label)} /> <span className="dim">{rollouts}</span>
            </label>
          ))}
        </fieldset>
      )}
      {!isPicked && (
        <label>
          <input type="checkbox" checked={isAll} onChange={(event) => onAll(event.target.checked)} />{' '}
          everything that matches, labelled or not
        </label>
      )}
      <PackCounts
        {...{ preview, error }}
        nothing="Nothing to export: label a rollout first, or include everything."
      />
    </>
  );
}

interface PackCountsProps extends Pick<PackChoiceProps, 'preview' | 'error'> {
  /** Said of an empty pack. */
  readonly nothing: string;
}

function PackCounts({ preview, error, nothing }: PackCountsProps) {
  return (
    <p role="status">
      {error !== null ? (
        <span className="is-wrong">✕ {error.message}</span>
      ) : preview === undefined ? (
        <span className="muted">Counting…</span>
      ) : preview.cases === 0 ? (
        <span className="muted">{nothing}</span>
      ) : (
        <>
          <b>
            {preview.pairs === undefined ? counted(preview.cases, 'case') : counted(preview.pairs, 'pair')}
          </b>{' '}
          with {counted(preview.annotations, 'annotation')}
        </>
      )}
    </p>
  );
}

interface PairChoiceProps extends Pick<PackChoiceProps, 'isAll' | 'onAll' | 'preview' | 'error'> {
  readonly pairs: PairScope;
  /** Pairs with a label or a note. Undefined while they are counted. */
  readonly labelled: number | undefined;
}

/** All pairs of a list, or those with a label. Two rollouts need no choice. */
export function PairChoice({ pairs, isAll, onAll, preview, error, labelled }: PairChoiceProps) {
  return (
    <>
      <p>{pairs.name}.</p>
      {'became' in pairs.of && (
        <label>
          <input
            type="checkbox"
            checked={!isAll}
            disabled={labelled === 0}
            onChange={(event) => onAll(!event.target.checked)}
          />{' '}
          only pairs with a label or a note{labelled !== undefined && ` (${count(labelled)})`}
        </label>
      )}
      <PackCounts {...{ preview, error }} nothing="Nothing to export: no pair has a label or a note." />
    </>
  );
}

interface FormatLabels {
  readonly label: string;
  readonly what: string;
  /** Explains a file of pairs. Absent: the format cannot hold pairs. */
  readonly pairs?: string;
  /** File extension; empty for a directory. */
  readonly ending: string;
  readonly takesTokens: boolean;
  readonly takesRaw: boolean;
  /** Hint that several files are downloaded as a zip. Absent: it is one file. */
  readonly zipped?: string;
}

const WITH_MANIFEST = 'The file and its manifest arrive as one .zip.';

export const FORMAT_LABELS: Readonly<Record<PackFormat, FormatLabels>> = {
  html: {
    label: 'HTML',
    what: 'One page to read in any browser, without a network: outcome, turns, code, heat, labels and notes.',
    pairs:
      'One page to read in any browser, without a network: both rollouts of each pair side by side, matching turns on one row.',
    ending: '.html',
    takesTokens: true,
    takesRaw: false,
  },
  md: {
    label: 'Markdown',
    what: 'A report: a summary, then each case with its problem, the turns that matter, and notes.',
    ending: '.md',
    takesTokens: false,
    takesRaw: false,
  },
  jsonl: {
    label: 'JSONL',
    what: 'Everything: complete rollouts, annotations and labels. Turnwise can open it.',
    pairs:
      'One record per pair: both rollouts, the turns and segments that belong together, the problem. Turnwise can open it.',
    ending: '.jsonl',
    takesTokens: true,
    takesRaw: true,
  },
  csv: {
    label: 'CSV',
    what: 'One line per annotation, for spreadsheets, with the manifest beside it. Formulas in log text are neutralized.',
    ending: '.csv',
    takesTokens: false,
    takesRaw: false,
    zipped: WITH_MANIFEST,
  },
  tsv: {
    label: 'TSV',
    what: 'As CSV, with tabs.',
    ending: '.tsv',
    takesTokens: false,
    takesRaw: false,
    zipped: WITH_MANIFEST,
  },
  parquet: {
    label: 'Parquet',
    what: 'A directory: rollouts partitioned by run and step, and annotations, for DuckDB, Spark, pandas.',
    ending: '',
    takesTokens: true,
    takesRaw: false,
    zipped: 'The directory arrives as one .zip.',
  },
  chat: {
    label: 'Chat JSONL',
    what: 'One conversation per line, for training: correct rollouts unchanged, others with their suggested correction. The rest are left out and counted.',
    ending: '.chat.jsonl',
    takesTokens: false,
    takesRaw: false,
    zipped: WITH_MANIFEST,
  },
};

/** The path with the extension of another format. */
export function renamed(path: string, from: PackFormat, to: PackFormat): string {
  const { ending } = FORMAT_LABELS[from];
  const bare = ending !== '' && path.endsWith(ending) ? path.slice(0, -ending.length) : path;
  return bare + FORMAT_LABELS[to].ending;
}
