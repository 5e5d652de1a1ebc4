/**
 * Loads every face the style sheets name, before a text asks for it: a face that arrives while a long rollout is on the
 * screen lays all of it out anew, which takes 50 ms in the middle of a scroll.
 */
export function loadFonts(): void {
  // One that cannot be had is replaced by the next of its family's list, as it would be without this.
  for (const face of document.fonts) face.load().catch(() => undefined);
}
