/** Where the focus goes when the focused control leaves the page. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { keepFocus } from '../../renderer/shell/keys/keepFocus.ts';

function Page() {
  const [names, setNames] = useState(['a', 'b', 'c']);
  const [isChanged, setChanged] = useState(true);
  useEffect(keepFocus, []);
  return (
    <div>
      <button type="button">Undo</button>
      <ul>
        {names.map((name) => (
          <li key={name} aria-label={`row ${name}`}>
            <span>{name}</span>
            {isChanged && (
              <button type="button" onClick={() => setChanged(false)}>
                Reset {name}
              </button>
            )}
            <button type="button" onClick={() => setNames(names.filter((each) => each !== name))}>
              Remove {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Presses Enter on a button as a browser does. */
function enter(name: string): void {
  const button = screen.getByRole('button', { name });
  button.focus();
  fireEvent.keyDown(button, { key: 'Enter' });
  fireEvent.click(button);
}

const focused = () => expect.poll(() => document.activeElement);
const row = (name: string) => screen.getByRole('listitem', { name: `row ${name}` });

afterEach(cleanup);

describe('the focus of a control that leaves the page', () => {
  it('goes to the row beside, whose control would remove it too', async () => {
    render(<Page />);
    enter('Remove a');
    await focused().toBe(row('b'));
    enter('Remove c');
    await focused().toBe(row('b'));
    expect(row('b').getAttribute('tabindex')).toBe('-1');
    fireEvent.blur(row('b'));
    expect(row('b').getAttribute('tabindex')).toBeNull();
    enter('Remove b');
    await focused().toBe(screen.getByRole('button', { name: 'Undo' }));
  });

  it('goes to its row while the row is there', async () => {
    render(<Page />);
    enter('Reset b');
    await focused().toBe(row('b'));
  });
});
