import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import GlossaryView from '../../renderer/views/glossary/GlossaryView.tsx';
import { GLOSSARY } from '../../shared/domain/glossary.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';

afterEach(cleanup);

describe('the glossary', () => {
  it('has each term once, in alphabetical order, with a sentence', () => {
    const terms = GLOSSARY.map(({ term }) => term.toLowerCase());
    expect(terms).toEqual([...new Set(terms)].sort());
    expect(GLOSSARY.filter(({ meaning }) => !/^[A-Z].*\w.*[.)]$/.test(meaning))).toEqual([]);
  });

  it('names fields as filters and SQL do', () => {
    const unknown = GLOSSARY.filter(
      ({ field }) => field !== undefined && !Object.hasOwn(ROLLOUT_FIELDS, field),
    );
    expect(unknown).toEqual([]);
  });

  it('finds a term by another word for it', () => {
    render(<GlossaryView />);
    expect(screen.getAllByRole('row')).toHaveLength(GLOSSARY.length + 1);
    fireEvent.change(screen.getByLabelText('Find a term'), { target: { value: 'trajectory' } });
    expect(screen.getAllByRole('rowheader').map((head) => head.firstChild?.textContent)).toEqual(['rollout']);
    fireEvent.change(screen.getByLabelText('Find a term'), { target: { value: 'no such term' } });
    screen.getByText('No term matches the search');
  });
});
