/**
 * Published results with their sources: pass@1 averaged over samples. Results without a source are not included; users
 * can enter their own with a source.
 */
import type { ReferenceLine } from '../../state/chartSettings.ts';

interface Published extends ReferenceLine {
  readonly benchmark: string;
}

const REPORT = 'rStar2-Agent technical report, arXiv 2508.20722';

const result = (benchmark: string, name: string, percent: number): Published => ({
  id: `published ${benchmark} ${name}`,
  benchmark,
  name,
  value: percent / 100,
  source: REPORT,
});

export const PUBLISHED: readonly Published[] = [
  result('AIME24', 'rStar2-Agent-14B', 80.6),
  result('AIME24', 'rStar2-Agent-14B after RL-2', 77),
  result('AIME24', 'rStar2-Agent-14B after RL-1', 72.1),
  result('AIME24', 'DeepSeek-R1 671B', 79.8),
  result('AIME24', 'o3-mini', 79.6),
  result('AIME24', 'Claude Opus 4.0', 76),
  result('AIME25', 'rStar2-Agent-14B', 69.8),
  result('AIME25', 'rStar2-Agent-14B after RL-2', 64.8),
  result('AIME25', 'rStar2-Agent-14B after RL-1', 64.2),
  result('GPQA-Diamond', 'rStar2-Agent-14B', 60.9),
  result('GPQA-Diamond', 'rStar2-Agent-14B before RL', 42.1),
  result('GPQA-Diamond', 'DeepSeek-V3', 59.1),
  result('BFCL v3', 'rStar2-Agent-14B', 60.8),
];

/** Whether a logged source (`aime24`, `math-ai/AIME_2024`) is the benchmark of a published result. */
export function isBenchmark(source: string | undefined, benchmark: string): boolean {
  if (source === undefined) return false;
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')
      .replace(/20(2\d)/, '$1');
  return plain(source).includes(plain(benchmark));
}
