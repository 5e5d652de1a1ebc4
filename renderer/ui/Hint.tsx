import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import './hint.css';

interface HintProps {
  readonly text: ReactNode;
  readonly side: 'right' | 'top';
  /** Must be focusable. */
  readonly children: ReactNode;
}

/** A tooltip on hover and focus. The application renders the provider. */
export function Hint({ text, side, children }: HintProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="popover hint" side={side} sideOffset={6} collisionPadding={8}>
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
