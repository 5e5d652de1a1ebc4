/**
 * Loads the fonts of the style sheets in advance: a font that arrives while a long rollout is on screen causes a new
 * layout, which takes 50 ms in the middle of a scroll.
 */
export async function loadFonts(isWanted: (face: FontFace) => boolean = () => true): Promise<void> {
  // If a font cannot be loaded, the browser uses the next one of its family's list anyway.
  await Promise.allSettled([...document.fonts].filter(isWanted).map((face) => face.load()));
}

/** Whether a font covers ASCII, which the interface itself is written in. */
export function isOfInterface({ unicodeRange }: FontFace): boolean {
  return /^U\+0+(?:-|,|$)/i.test(unicodeRange);
}
