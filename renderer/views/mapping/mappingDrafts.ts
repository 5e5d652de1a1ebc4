/** Mappings that were changed and not saved. They are kept while the window lives, so that a look elsewhere loses none. */
import type { Mapping } from '../../../shared/format/mapping.ts';

export interface MappingDraft {
  readonly mapping: Mapping;
  /**
   * The list that field paths are relative to. It stays the same while another one is typed, and after it was cleared.
   */
  readonly list: string | undefined;
}

const drafts = new Map<string, MappingDraft>();

/** @param start the mapping that the editor starts from */
export const draftKey = (library: string, path: string, start: Mapping): string =>
  JSON.stringify([library, path, start.name]);

export const draftOf = (key: string): MappingDraft | undefined => drafts.get(key);

export function keepDraft(key: string, draft: MappingDraft): void {
  drafts.set(key, draft);
}

export function dropDraft(key: string): void {
  drafts.delete(key);
}
