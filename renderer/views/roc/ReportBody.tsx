import type { RocReport, Stage } from '../../../shared/api/contract.ts';
import { valueText } from '../../../shared/domain/filter/complete.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { NumberLink } from '../../widgets/NumberLink.tsx';
import { RULE_LABELS } from '../../widgets/roc/rocLabels.ts';
import { ExampleOffer } from '../../widgets/roc/SourceChip.tsx';
import { Bias } from './Bias.tsx';
import { BucketTable, KeepRates } from './BucketTable.tsx';
import { RocCharts } from './RocCharts.tsx';
import {
  type BucketClass,
  causeSentences,
  disagreementsOf,
  findingsOf,
  healthNumbers,
  type NamedNumber,
  type NamedSide,
  orderedReasons,
  outcomeText,
  sideReason,
  sidesOf,
  tallyText,
} from './reportModel.ts';

interface ReportBodyProps {
  /** Name of the run, and its step if the report covers only one. */
  readonly of: string;
  readonly report: RocReport;
  readonly stages: readonly Stage[];
  readonly isExample: boolean;
  readonly onOpenStep: (step: number) => void;
  /** Path of the list of rollouts that match a filter, in the run or step of the report. */
  readonly rolloutsOf: (filter: string) => string;
}

const KINDS = [
  { label: 'penalty', hint: 'penalty: p_err + p_format, if the settings count them', pick: 'byPenalty' },
  {
    label: 'p_err',
    hint: 'p_err: share of failed calls among those that a tool answered, 0.5 without any',
    pick: 'byErr',
  },
  {
    label: 'p_format',
    hint: 'p_format: answer-format penalty, 0 for one well-formed answer',
    pick: 'byFormat',
  },
] as const;

/** The whole report, from the health of the groups to the differences between kept and discarded rollouts. */
export function ReportBody({ of, report, stages, isExample, onOpenStep, rolloutsOf }: ReportBodyProps) {
  const [query, setQuery] = useUrlQuery();
  const which: BucketClass = query.get('class') === 'negatives' ? 'negatives' : 'positives';
  const sides = sidesOf(report, query.get('side'));
  const [first] = sides;
  const bucketSides = (pick: 'byPenalty' | 'byErr' | 'byFormat') =>
    sides.map(({ name, penalties, side }) => ({ name, penalties, buckets: side[pick] }));
  const disagreements = disagreementsOf(report);
  return (
    <div className="report">
      <ExampleOffer source={report.source} isExample={isExample} />
      <div className="tile-row">
        <NumberTiles label="Groups" numbers={healthNumbers(report)} source="the rewards of the log" />
        {first !== undefined && (
          <NumberTiles
            label="Worth checking"
            numbers={findingsOf(report, first)}
            of={first.name}
            source={`${first.name} decisions`}
          />
        )}
        {disagreements.length > 0 && (
          <NumberTiles
            label="Disagreements"
            numbers={disagreements}
            source="the log against the recomputation"
          />
        )}
        {report.flips !== undefined && report.source !== 'unknown' && (
          <section className="tiles" aria-label="What if">
            <h2>What if</h2>
            <ul>
              <li>
                <NumberLink
                  tally={report.flips}
                  about={{
                    meaning: 'Rollouts that are kept in one case and discarded in the other',
                    count: tallyText(report.flips),
                    source: sides.map(({ name }) => name).join(' against '),
                  }}
                >
                  {count(report.flips.rollouts)}
                </NumberLink>
                <span className="tile-label">
                  {report.flips.rollouts === 1 ? 'decision flips' : 'decisions flip'}
                </span>
              </li>
            </ul>
          </section>
        )}
      </div>
      <Causes report={report} />
      {first !== undefined && (
        <>
          <div className="report-cards is-natural">
            <KeepRates sides={sides} />
            {sides.map((named) => (
              <ReasonTable key={named.id} named={named} rolloutsOf={rolloutsOf} />
            ))}
          </div>
          {first.side.steps.length > 1 && (
            <RocCharts
              of={{ source: `${of}, ${sides.map(({ name }) => name).join(', ')}`, fileName: `${of}-roc` }}
              sides={sides}
              stages={stages}
              onOpenStep={onOpenStep}
            />
          )}
          <div className="report-buckets">
            <Segmented
              label="Class"
              chosen={which}
              onChoose={(chosen) => setQuery({ class: chosen === 'negatives' ? chosen : undefined })}
              choices={[
                { id: 'positives', label: 'Correct' },
                { id: 'negatives', label: 'Incorrect' },
              ]}
            />
            <p className="report-terms dim">
              Correct: reward above 0, as the rule counts. Incorrect: all others.{' '}
              {KINDS.map(({ hint }) => hint).join('. ')}.
            </p>
            <div className={sides.length > 1 ? 'report-cards is-double' : 'report-cards'}>
              {KINDS.map(({ label, hint, pick }) => (
                <BucketTable key={label} label={label} hint={hint} which={which} sides={bucketSides(pick)} />
              ))}
            </div>
          </div>
          <div className="report-cards is-wide">
            {sides.map((named) => (
              <Bias key={named.id} side={named} bins={report.lengthBins} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

/** Why logged and recomputed decisions differ, as the pages of their groups say. */
function Causes({ report }: Pick<ReportBodyProps, 'report'>) {
  const causes = causeSentences(report);
  const { rollouts } = report.differences;
  if (rollouts === 0 || causes.length === 0) return null;
  const { basis } = report.recomputed;
  return (
    <section className="differences" aria-label="Logged and recomputed differ">
      <p>
        <b>
          {counted(rollouts, 'decision')} {rollouts === 1 ? 'differs' : 'differ'}
        </b>{' '}
        between the log and the recomputation
        {basis !== undefined && ` by the rule “${RULE_LABELS[basis.rule].short}”`}. {causes.join(' ')}
      </p>
    </section>
  );
}

interface NumberTilesProps {
  readonly label: string;
  readonly numbers: readonly NamedNumber[];
  /** Shown beside the label: the decisions that all numbers refer to. */
  readonly of?: string;
  /** Names the decisions or values that the numbers are computed from. */
  readonly source: string;
}

/** Key numbers. Each opens its groups. */
function NumberTiles({ label, numbers, of, source }: NumberTilesProps) {
  return (
    <section className="tiles" aria-label={label}>
      <h2>
        {label} {of !== undefined && <span className="dim">{of}</span>}
      </h2>
      <ul>
        {numbers.map((one) => (
          <li key={one.key}>
            <NumberLink
              tally={one}
              about={{
                meaning: one.hint,
                count:
                  one.share === undefined
                    ? counted(one.value, one.unit)
                    : `${counted(one.value, one.unit)}, ${percent(one.share)} % of all`,
                source,
              }}
            >
              {count(one.value)}
            </NumberLink>{' '}
            <span className="dim">
              {one.value === 1 ? one.unit : `${one.unit}s`}
              {one.share !== undefined && ` · ${percent(one.share)} %`}
            </span>
            <span className="tile-label">{one.label}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ReasonTableProps extends Pick<ReportBodyProps, 'rolloutsOf'> {
  readonly named: NamedSide;
}

/**
 * Why rollouts were kept or discarded, and the outcomes of groups. A logged reason opens its rollouts. No filter selects
 * recomputed reasons, so they open the groups that contain them, as outcomes do.
 */
function ReasonTable({ named, rolloutsOf }: ReasonTableProps) {
  const { outcomes } = named.side;
  const reasons = orderedReasons(named.side);
  const more = named.side.reasons.length - reasons.length;
  return (
    <section className="report-card" aria-label={`Reasons, ${named.name}`}>
      <h2>
        Reasons <span className="dim">{named.name}</span>
      </h2>
      {reasons.length === 0 ? (
        <p className="dim">No reason is {named.id === 'logged' ? 'logged' : 'known'}.</p>
      ) : (
        <table className="reasons">
          <tbody>
            {reasons.map((one) => (
              <tr key={one.reason}>
                <th scope="row" title={plainLogText(one.reason)}>
                  {plainLogText(sideReason(one.reason))}
                </th>
                <td>
                  <NumberLink
                    tally={one}
                    about={{
                      meaning: sideReason(one.reason),
                      count: tallyText(one),
                      source: `${named.name} decisions`,
                    }}
                    rolloutsHref={
                      named.id === 'logged' ? rolloutsOf(`reason:${valueText(one.reason)}`) : undefined
                    }
                  >
                    {count(one.rollouts)}
                  </NumberLink>{' '}
                  <span className="dim">
                    {one.rollouts === 1 ? 'rollout' : 'rollouts'}
                    {named.id !== 'logged' && ` in ${counted(one.groups, 'group')}`}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more > 0 && <p className="dim">{counted(more, 'less frequent reason')} not listed.</p>}
      {outcomes.length > 0 && (
        <table className="reasons">
          <tbody>
            {outcomes.map((one) => (
              <tr key={one.outcome}>
                <th scope="row" title={one.outcome}>
                  {outcomeText(one.outcome)}
                </th>
                <td>
                  <NumberLink
                    tally={one}
                    about={{
                      meaning: `Groups that were ${outcomeText(one.outcome)}`,
                      count: counted(one.groups, 'group'),
                      source: `${named.name} decisions`,
                    }}
                  >
                    {count(one.groups)}
                  </NumberLink>{' '}
                  <span className="dim">groups</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
