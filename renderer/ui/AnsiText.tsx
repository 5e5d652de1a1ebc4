/** Terminal output: colours and weights become spans, and other control characters become visible. */
import Anser from 'anser';
import { SourceText } from './SourceText.tsx';

/** Upper limit of colour changes, since each one is an element. */
const MOST_COLOURS = 1_000;
/** Text without this prefix has no colours. */
export const ANSI_ESCAPE = '\u001b[';
/** Anser's class names for the sixteen colours. Bright and normal ones share a hue here. */
const COLOR = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/;

function colorOf(name: string | null): string | undefined {
  const hue = name === null ? undefined : COLOR.exec(name)?.[1];
  return hue === undefined ? undefined : `var(--ansi-${hue})`;
}

interface AnsiTextProps {
  readonly text: string;
  readonly start: number;
  readonly source: string;
}

export function AnsiText({ text, start, source }: AnsiTextProps) {
  const changes = text.split(ANSI_ESCAPE, MOST_COLOURS + 2).length - 1;
  if (changes === 0 || changes > MOST_COLOURS)
    return <SourceText text={text} start={start} source={source} />;
  return Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true }).map((entry, i) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: entries of one immutable text never reorder
      key={i}
      className={entry.decorations.map((decoration) => `ansi-${decoration}`).join(' ')}
      style={{ color: colorOf(entry.fg) }}
    >
      <SourceText text={entry.content} />
    </span>
  ));
}
