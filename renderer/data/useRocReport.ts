import type { RocReport } from '../../shared/api/contract.ts';
import { type AnalysisParams, type AnalysisState, useAnalysis } from './useAnalysis.ts';

export interface ReportState extends Omit<AnalysisState<RocReport>, 'answer' | 'isFormer'> {
  /** The last one that arrived; of other params while `isComputing`. */
  readonly report: RocReport | undefined;
}

/** @param params undefined: nothing is to be computed */
export function useRocReport(params: AnalysisParams<'roc.report'> | undefined): ReportState {
  const { answer, ...state } = useAnalysis('roc.report', params);
  return { ...state, report: answer };
}
