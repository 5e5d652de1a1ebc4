/** Blocks of whole lines, so that a long text can be rendered a part at a time and reads as if it were one. */
export interface LineBlock {
  /** Offset of the block in the whole text. */
  readonly start: number;
  /** With the newline it ends with; only the last one may have none. */
  readonly text: string;
}

/** About as many lines as a screen has. */
const BLOCK_CHARACTERS = 3_200;

export function lineBlocks(text: string): readonly LineBlock[] {
  const blocks: LineBlock[] = [];
  let start = 0;
  while (text.length - start > BLOCK_CHARACTERS) {
    const newline = text.indexOf('\n', start + BLOCK_CHARACTERS);
    if (newline < 0 || newline === text.length - 1) break;
    blocks.push({ start, text: text.slice(start, newline + 1) });
    start = newline + 1;
  }
  blocks.push({ start, text: text.slice(start) });
  return blocks;
}
