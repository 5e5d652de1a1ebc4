import type { SegmentView } from './replayModel.ts';

/** Arguments as indented JSON, without those shown elsewhere; undefined when none is left or it is no JSON. */
export function prettyArguments(
  json: string | undefined,
  without: readonly string[] = [],
): string | undefined {
  if (json === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    // The host parses leniently (NaN, for one); what strict JSON cannot read is shown as it is.
    return json;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return JSON.stringify(parsed, null, 2);
  const rest = Object.entries(parsed).filter(([name, value]) => !without.includes(name) && value !== '');
  return rest.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rest), null, 2);
}

/** The text a segment shows when rendered, and which its fold counts. */
export function readableText(view: SegmentView): string {
  const { call } = view;
  if (view.segment.kind !== 'tool-call' || call === undefined) return view.inner;
  return call.code ?? prettyArguments(call.arguments) ?? view.inner;
}
