import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { FilterNote, noMatch } from '../../renderer/views/browse/FilterNote.tsx';

const words = (html: string) => html.replace(/<[^>]*>/g, '');

describe('the note of a quick filter', () => {
  it('says which part of the list it has not looked at', () => {
    const note = <FilterNote matches={3} looked={20_000} total={24_000} isComplete />;
    expect(words(renderToStaticMarkup(note))).toBe(
      '3 matches in the first 20,000 of 24,000 rows; the others were not looked at',
    );
    expect(noMatch('rollout', 20_000, 24_000)).toBe(
      'None of the first 20,000 rollouts matches the filter; 4,000 were not looked at',
    );
  });

  it('claims the whole list only when it has seen it', () => {
    const note = <FilterNote matches={1} looked={500} total={500} isComplete />;
    expect(words(renderToStaticMarkup(note))).toBe('1 match');
    expect(noMatch('group', 500, 500)).toBe('No group matches the filter');
  });
});
