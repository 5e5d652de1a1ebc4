/** Handlers about failure packs: what one would hold, writing one, one rollout as text. */
import type { Method, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { PackIds } from '../worker/analysisMessages.ts';
import type { AnalysisThread, OnProgress } from './analysisThread.ts';
import type { Browses } from './browseThreads.ts';
import { newPlace, type PlaceServices } from './newPlace.ts';

const PACK_METHODS = ['pack.preview', 'pack.export', 'pack.text'] as const satisfies readonly Method[];
type PackMethod = (typeof PACK_METHODS)[number];
type PackHandlers = {
  [M in PackMethod]: (params: ParsedParams<M>, signal?: AbortSignal) => Promise<Result<ResultOf<M>>>;
};

export interface PackServices extends PlaceServices {
  readonly version: string;
  readonly listing: Browses;
  /** For one rollout: a text does not wait behind a file. */
  readonly comparison: AnalysisThread;
  readonly exporting: AnalysisThread;
  progressFor(progressKey: string | undefined): OnProgress;
}

export function packHandlers(host: PackServices): PackHandlers {
  return {
    'pack.preview': async ({ progressKey, ...choice }, signal) => {
      const question = { about: 'pack' as const, ...choice };
      const chosen = await host.listing.browse<PackIds>(question, host.progressFor(progressKey), signal);
      if (!chosen.ok) return chosen;
      const { ids, annotations, siblings } = chosen.value;
      return { ok: true, value: { cases: ids.length, annotations, siblings } };
    },
    'pack.export': ({ path: asked, progressKey, ...request }, signal) => {
      const place = newPlace(host, asked, '');
      if ('failure' in place) return Promise.resolve({ ok: false, failure: place.failure });
      const whole = { ...request, path: place.path, version: host.version };
      return host.exporting.pack(whole, host.progressFor(progressKey), signal);
    },
    'pack.text': (request, signal) => host.comparison.packText(request, signal),
  };
}
