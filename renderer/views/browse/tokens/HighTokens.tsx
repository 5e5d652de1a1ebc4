import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { agreementWords } from '../../../ui/agreementWords.ts';
import { ClassIcon } from '../../../ui/ClassIcon.tsx';
import { count, percent } from '../../../ui/numbers.ts';
import { CopyCsv } from './CopyCsv.tsx';
import { classesCsv } from './tokensCsv.ts';
import { classCounts, classMeaning } from './tokensModel.ts';

interface HighTokensProps {
  readonly source: SourceStatistics;
  readonly window: number;
}

/** The paper shows these classes and defines none; ours is on the screen. */
export function HighTokens({ source, window }: HighTokensProps) {
  const classes = classCounts(source);
  const isPlaced = classes.some(({ tokens }) => tokens > 0);
  return (
    <section className="tokens-section" aria-label="High tokens by class">
      <header>
        <h2>
          High tokens by class <span className="dim">the top 20 % of each rollout’s policy tokens</span>
        </h2>
        <CopyCsv what="the classes" disabled={!isPlaced} table={() => classesCsv(source)} />
      </header>
      {!isPlaced ? (
        <p className="dim tokens-wait">None: without a place on the text a token has no class.</p>
      ) : (
        <dl className="classes">
          {classes.map(({ name, tokens, share }) => (
            <div key={name}>
              <dt>
                <ClassIcon name={name} /> {name}
              </dt>
              <dd>
                <b>{count(tokens)}</b>{' '}
                <span className="dim">{share === undefined ? '' : `${percent(share)} %`}</span>
              </dd>
              <dd className="muted">{classMeaning(name, window)}</dd>
            </div>
          ))}
        </dl>
      )}
      {source.lexicon !== undefined && (
        <div className="classes-lexicon">
          <h3>
            Agreement with the lexicon{' '}
            <span className="dim">words in the text, a heuristic: neither defines the other</span>
          </h3>
          <ul>
            {agreementWords(source.lexicon).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
