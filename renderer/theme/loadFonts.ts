/**
 * Loads faces the style sheets name, before a text asks for them: a face that arrives while a long rollout is on the
 * screen lays all of it out anew, which takes 50 ms in the middle of a scroll.
 */
export async function loadFonts(isWanted: (face: FontFace) => boolean = () => true): Promise<void> {
  // One that cannot be had is replaced by the next of its family's list, as it would be without this.
  await Promise.allSettled([...document.fonts].filter(isWanted).map((face) => face.load()));
}

/** Of the letters the interface itself is written in: those of ASCII begin their range. */
export function isOfInterface({ unicodeRange }: FontFace): boolean {
  return /^U\+0+(?:-|,|$)/i.test(unicodeRange);
}
