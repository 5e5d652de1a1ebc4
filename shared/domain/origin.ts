import { quoted } from './filter/lexer.ts';

/** Names the rollout that a continuation continues, in every library alike: `run/step/group/ordinal`. */
export interface OriginOf {
  readonly runKey: string;
  /** 0 where the log has no steps. */
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
}

export const originKey = ({ runKey, step, groupKey, ordinal }: OriginOf): string =>
  `${runKey}/${step}/${groupKey}/${ordinal}`;

/** The filter that finds the continuations of a rollout. */
export const originFilter = (origin: OriginOf): string => `origin:${quoted(originKey(origin))}`;
