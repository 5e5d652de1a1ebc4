const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  PageDown: 'Page ↓',
  PageUp: 'Page ↑',
};
const MOD = /mac/i.test(navigator.platform) ? '⌘' : 'Ctrl';

function strokeLabel(stroke: string): string {
  const name = NAMES[stroke];
  if (name !== undefined) return name;
  return stroke.replace('Mod+', `${MOD} `).replace('Shift+', '⇧ ');
}

/** `g g` is two strokes, drawn as two keys. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span>
      {keys.split(' ').map((stroke, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may repeat a stroke and never reorders
        <kbd key={i}>{strokeLabel(stroke)}</kbd>
      ))}
    </span>
  );
}
