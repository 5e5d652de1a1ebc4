import { useState } from 'react';
import { GLOSSARY, type GlossaryTerm } from '../../../shared/domain/glossary.ts';
import { counted } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import './glossary.css';

const matches = (term: GlossaryTerm, text: string): boolean =>
  Object.values(term).join(' ').toLowerCase().includes(text.trim().toLowerCase());

export default function GlossaryView() {
  const [text, setText] = useState('');
  const shown = GLOSSARY.filter((term) => matches(term, text));
  return (
    <div className="page">
      <header className="page-head">
        <h1>Glossary</h1>
        <span className="muted">{counted(GLOSSARY.length, 'term')} of the field and of Turnwise</span>
        <div className="end">
          <label className="search-field">
            <input
              type="search"
              placeholder="Find a term"
              aria-label="Find a term"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        </div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys */}
      <section className="glossary" tabIndex={0} aria-label="Terms">
        {shown.length === 0 ? (
          <EmptyState title="No term matches the search" />
        ) : (
          <table>
            <thead>
              <tr>
                <th>term</th>
                <th>meaning</th>
                <th>unit</th>
                <th>in filters and SQL</th>
                <th>source</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ term, also, meaning, unit, field, source }) => (
                <tr key={term}>
                  <th scope="row">
                    {term}
                    {also !== undefined && <small>{also}</small>}
                  </th>
                  <td>{meaning}</td>
                  <td>{unit}</td>
                  <td className="mono">{field}</td>
                  <td>{source}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}
