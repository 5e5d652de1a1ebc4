/** A text of the log in a section of its own, which scrolls. */
import { LogText } from '../../ui/LogText.tsx';

/** Beyond this, the browser takes too long to lay a text out. */
const LONGEST = 10_000;

export function LongText({ label, text }: { readonly label: string; readonly text: string | undefined }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
    <section className="inspector-scenario" tabIndex={0} aria-label={label}>
      <LogText text={text} longest={LONGEST} />
    </section>
  );
}
