/** Policy tokens of one text, or reflection tokens, with their highest or lowest values. */
import type { TokenOccurrences } from '../../shared/api/contract.ts';
import type { SourceParts } from '../../shared/domain/entropy.ts';
import { HighestTokens, type WantedTokens } from '../../shared/domain/highestTokens.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import type { MeasuredScope } from '../storage/queries/measured.ts';
import { addressesOf } from '../storage/queries/places.ts';
import { type ScopeProgress, ScopeReader } from './scopeReader.ts';

export interface PlacesRequest extends MeasuredScope {
  readonly signal: SignalName;
  readonly source?: Partial<SourceParts> | undefined;
  readonly wanted: WantedTokens;
  readonly order: 'ascending' | 'descending';
  readonly vocabulary?: number | undefined;
  readonly limit: number;
}

export class PlacesBuilder {
  private readonly db: ReadableLibrary;
  private readonly reader: ScopeReader;
  private readonly request: PlacesRequest;
  private readonly found: HighestTokens;

  /** @returns undefined when there is nothing to read */
  static open(db: ReadableLibrary, request: PlacesRequest): PlacesBuilder | undefined {
    const reader = ScopeReader.open(db, request);
    return reader === undefined ? undefined : new PlacesBuilder(db, reader, request);
  }

  private constructor(db: ReadableLibrary, reader: ScopeReader, request: PlacesRequest) {
    this.db = db;
    this.reader = reader;
    this.request = request;
    this.found = new HighestTokens(request.wanted, request.limit, request.order);
  }

  get steps(): readonly number[] {
    return this.reader.steps;
  }

  read(): Generator<ScopeProgress> {
    const { signal, vocabulary } = this.request;
    return this.reader.read({ signal, vocabulary, withText: true }, (rollout, id) =>
      this.found.add(rollout, id),
    );
  }

  finish(): TokenOccurrences {
    const found = this.found.finish(this.request.source);
    if (found === undefined) return { total: 0, places: [] };
    const { source, total, best } = found;
    const addresses = addressesOf(
      this.db,
      best.map(({ rolloutId }) => rolloutId),
    );
    return {
      source,
      total,
      places: best.flatMap((place) => {
        const address = addresses.get(place.rolloutId);
        // The rollout was removed meanwhile, because its log is being read again.
        return address === undefined ? [] : [{ ...address, ...place }];
      }),
    };
  }
}
