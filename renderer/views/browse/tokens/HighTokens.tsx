import { Code, Diamond, RotateCcw, Split } from 'lucide-react';
import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { count, percent } from '../../../ui/numbers.ts';
import { classCounts, classMeaning } from './tokensModel.ts';

interface HighTokensProps {
  readonly source: SourceStatistics;
  readonly window: number;
}

/** Drawn, because no font can be relied on for such signs. */
const ICONS = { forking: Split, reflection: RotateCcw, code: Code, answer: Diamond } as const;

/** The paper shows these classes and defines none; ours is on the screen. */
export function HighTokens({ source, window }: HighTokensProps) {
  const classes = classCounts(source);
  const isPlaced = classes.some(({ tokens }) => tokens > 0);
  return (
    <section className="tokens-section" aria-label="High tokens by class">
      <h2>
        High tokens by class{' '}
        <span className="dim">high: the top 20 % of the policy tokens of their rollout</span>
      </h2>
      {!isPlaced ? (
        <p className="dim tokens-wait">None: without a place on the text a token has no class.</p>
      ) : (
        <dl className="classes">
          {classes.map(({ name, tokens, share }) => (
            <div key={name}>
              <dt>
                <Icon name={name} /> {name}
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
    </section>
  );
}

function Icon({ name }: { readonly name: keyof typeof ICONS }) {
  const Sign = ICONS[name];
  return <Sign aria-hidden="true" />;
}
