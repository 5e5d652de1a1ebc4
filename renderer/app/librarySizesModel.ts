import type { LibrarySizes, SizePart } from '../../shared/api/contract.ts';

/** What the bytes of a run are spent on, in the order shown. */
export const PART_NAMES: readonly {
  readonly id: SizePart;
  readonly name: string;
  readonly describe: string;
}[] = [
  { id: 'texts', name: 'texts', describe: 'Responses and tool outputs, compressed' },
  { id: 'tokens', name: 'tokens', describe: 'Signals of single tokens, and vocabularies' },
  { id: 'search', name: 'search', describe: 'The full-text index' },
  {
    id: 'rows',
    name: 'rows',
    describe: 'Rollouts, groups, turns, segments and tool calls, with their indexes',
  },
  {
    id: 'columns',
    name: 'columns',
    describe: 'What lists, filters and charts are read from; made anew where missing',
  },
];

export interface FilePart {
  readonly id: SizePart | 'shared' | 'free';
  readonly name: string;
  readonly describe: string;
  /** Bytes. */
  readonly of: number;
}

/** The whole file by what it is spent on, whichever run it is for; parts without a byte are left out. */
export function partsOfFile({ runs, shared, free }: LibrarySizes): readonly FilePart[] {
  const all: FilePart[] = [
    ...PART_NAMES.map((part) => ({ ...part, of: runs.reduce((sum, run) => sum + run.parts[part.id], 0) })),
    {
      id: 'shared',
      name: 'of no single run',
      describe: 'Prompts, problems, files, issues, what was saved, and what single pages leave over',
      of: shared,
    },
    { id: 'free', name: 'free', describe: 'Pages without content: compacting gives them back', of: free },
  ];
  return all.filter(({ of }) => of > 0);
}
