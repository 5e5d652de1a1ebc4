/** What the host and the thread that answers long questions say to each other. */
import type { RocBasis } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { BrowseQuestion } from '../columns/answer.ts';
import type { PackIds } from '../columns/packChoice.ts';
import type { CompareQuestion } from '../compare/answer.ts';
import type { DataSetRequest } from '../export/dataSet.ts';
import type { PackTextRequest } from '../export/pack/modelText.ts';
import type { PackRequest } from '../export/pack/packOptions.ts';
import type { UncheckedChoice } from '../roc/basis.ts';
import type { DecidedStep } from '../roc/decisionRows.ts';
import type { ReportRequest } from '../roc/report.ts';
import type { PlacesRequest } from '../signals/places.ts';
import type { StatisticsRequest } from '../signals/statistics.ts';

export type { PackIds };

export interface DecisionsRequest {
  /** Key, name or number of a run; absent: the only one, or the only one of training. */
  readonly run?: string;
  readonly step?: number;
  readonly choice: UncheckedChoice;
}

/**
 * Two Int32, as a thread in the middle of its work hears no message. The first is not 0 once the answer is no longer
 * wanted. The second is odd while the thread looks through a text, and another with each.
 */
export interface Stoppable {
  readonly stop: SharedArrayBuffer;
}

export type AnalysisRequest = { readonly id: number } & (
  | { readonly kind: 'report'; readonly request: ReportRequest }
  | { readonly kind: 'statistics'; readonly request: StatisticsRequest }
  | { readonly kind: 'places'; readonly request: PlacesRequest }
  | { readonly kind: 'groups'; readonly reportId: number; readonly key: string }
  | { readonly kind: 'decisions'; readonly request: DecisionsRequest }
  | ({ readonly kind: 'compare'; readonly question: CompareQuestion } & Stoppable)
  | ({ readonly kind: 'browse'; readonly question: BrowseQuestion } & Stoppable)
  | ({ readonly kind: 'sizes' } & Stoppable)
  | ({ readonly kind: 'export'; readonly request: DataSetRequest } & Stoppable)
  | ({ readonly kind: 'pack'; readonly request: PackRequest } & Stoppable)
  | { readonly kind: 'packText'; readonly request: PackTextRequest }
  /** The page of decisions has been taken; the next may come. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'cancel' }
);

export interface DecisionsHead {
  readonly runKey: string;
  readonly runName: string;
  readonly basis: RocBasis;
}

export type AnalysisMessage = { readonly id: number } & (
  | { readonly kind: 'progress'; readonly stepsDone: number; readonly steps: number; readonly share?: number }
  | { readonly kind: 'head'; readonly head: DecisionsHead }
  /** The groups of one step. */
  | { readonly kind: 'page'; readonly step: DecidedStep }
  | { readonly kind: 'result'; readonly result: Result<unknown> }
);
