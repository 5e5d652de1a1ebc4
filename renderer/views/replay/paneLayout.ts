/** A remembered layout counts only for the very panes that are open now: its shares add up to 100. */
export function layoutFor(
  layout: Readonly<Record<string, number>>,
  hasOutline: boolean,
  hasInspector: boolean,
): Record<string, number> | undefined {
  const panes = ['transcript', ...(hasOutline ? ['outline'] : []), ...(hasInspector ? ['inspector'] : [])];
  const fits = panes.length === Object.keys(layout).length && panes.every((pane) => pane in layout);
  return fits ? { ...layout } : undefined;
}
