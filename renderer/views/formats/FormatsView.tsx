import { useState } from 'react';
import type { FormatRow } from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Link } from '../../ui/Link.tsx';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import './formats.css';

const matches = (format: FormatRow, text: string): boolean =>
  Object.values(format).join(' ').toLowerCase().includes(text.trim().toLowerCase());

/** Every supported format: how a file is recognised, what is read from it, and what is not. */
export default function FormatsView() {
  const formats = useRequest('format.list', {});
  const [text, setText] = useState('');
  if (formats.error !== null) {
    return (
      <FailedState
        isPage
        title="The formats could not be listed"
        error={formats.error}
        onRetry={() => void formats.refetch()}
      />
    );
  }
  if (formats.data === undefined) return <WaitingState title="Listing formats…" />;
  const shown = formats.data.filter((format) => matches(format, text));
  return (
    <div className="page">
      <header className="page-head">
        <h1>Formats</h1>
        <span className="muted">
          {counted(formats.data.length, 'format')}, recognised by what is in a file, never by its name. Files
          may be gzip, zstd or zip.
        </span>
        <div className="end">
          <label className="search-field">
            <input
              type="search"
              placeholder="Filter formats"
              aria-label="Filter formats"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        </div>
      </header>
      <div className="formats">
        {shown.length === 0 && <EmptyState title="No format matches the filter" />}
        <div className="formats-columns">
          {shown.map((format) => (
            <section key={format.name}>
              <h2>
                {format.title} <span className="mono dim">{format.name}</span>
              </h2>
              <dl>
                <dt>written by</dt>
                <dd>{format.source}</dd>
                <dt>recognised by</dt>
                <dd>{format.rule}</dd>
                <dt>reads</dt>
                <dd>{format.reads}</dd>
                <dt>ignores</dt>
                <dd>{format.ignores}</dd>
              </dl>
            </section>
          ))}
        </div>
        <p className="muted">
          To read a log of any other shape, <Link href="/mapping">map its fields</Link>.
        </p>
      </div>
    </div>
  );
}
