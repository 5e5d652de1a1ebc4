/** Text as it was logged, any length of it: in blocks of whole lines, of which those far away are one text node each. */
import { memo, useMemo } from 'react';
import { SourceText } from '../../ui/SourceText.tsx';
import { lineBlocks } from './lineBlocks.ts';
import { WhenNear } from './WhenNear.tsx';

interface SourceBlocksProps {
  readonly text: string;
  /** Offset of `text` in its source; absent when it is not a literal part of it. */
  readonly start?: number;
  readonly source?: string;
}

export const SourceBlocks = memo(function SourceBlocks({ text, start, source }: SourceBlocksProps) {
  const blocks = useMemo(() => lineBlocks(text), [text]);
  if (blocks.length === 1) return <SourceText text={text} start={start} source={source} />;
  return blocks.map((block, i) => {
    const at = start === undefined ? undefined : start + block.start;
    return (
      <WhenNear
        key={block.start}
        isNear={i === 0}
        waiting={<SourceText text={block.text} start={at} source={source} isFar />}
      >
        <SourceText text={block.text} start={at} source={source} />
      </WhenNear>
    );
  });
});
