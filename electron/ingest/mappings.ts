/** The user's mappings during ingest: which one matches a file. */
import type { JsonObject } from '../../shared/format/fields.ts';
import { type Mapping, mappingFormatName } from '../../shared/format/mapping.ts';

export class Mappings {
  /** The original mappings, for sending to another thread. */
  readonly all: readonly Mapping[];
  readonly forced: Mapping | undefined;
  private readonly mappings: ReadonlyMap<string, Mapping>;

  /** @param forced a mapping that the user named; it is used for every file */
  constructor(mappings: readonly Mapping[], forced?: Mapping) {
    this.all = forced === undefined ? mappings : [...mappings, forced];
    this.mappings = new Map(this.all.map((mapping) => [mappingFormatName(mapping.name), mapping]));
    this.forced = forced;
  }

  /** Name of the mapping that matches these records. Undefined if none does. */
  readonly detect = (records: readonly JsonObject[]): string | undefined => {
    if (this.forced !== undefined) return mappingFormatName(this.forced.name);
    for (const [format, mapping] of this.mappings) {
      if (records.some((record) => hasShape(record, mapping))) return format;
    }
    return undefined;
  };

  readonly named = (format: string): Mapping | undefined => this.mappings.get(format);
}

function hasShape(record: JsonObject, mapping: Mapping): boolean {
  return mapping.shape.length > 0 && mapping.shape.every((key) => Object.hasOwn(record, key));
}
