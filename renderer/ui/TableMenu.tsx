/** The menu of a column or a value. Opened by a right click, at the pointer, or by keys. */
import { DropdownMenu } from 'radix-ui';
import { Fragment } from 'react';
import type { CssPixels } from './virtualRows.ts';

export interface MenuAction {
  readonly label: string;
  readonly act: () => void;
}

/** Each inner list is a section between separators. */
export interface OpenMenu {
  readonly name: string;
  readonly x: CssPixels;
  readonly y: CssPixels;
  readonly parts: readonly (readonly MenuAction[])[];
}

export function TableMenu({
  menu,
  onClose,
  onFocus,
}: {
  readonly menu: OpenMenu | undefined;
  readonly onClose: () => void;
  /** Returns the focus to the table. */
  readonly onFocus: () => void;
}) {
  if (menu === undefined) return null;
  const parts = menu.parts.filter((part) => part.length > 0);
  return (
    <DropdownMenu.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span className="vtable-menu-anchor" style={{ left: menu.x, top: menu.y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={2}
          aria-label={menu.name}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The chosen action may have focused a field.
            if (document.activeElement === document.body) onFocus();
          }}
        >
          {parts.map((part, i) => (
            <Fragment key={part[0]?.label}>
              {i > 0 && <DropdownMenu.Separator />}
              {part.map(({ label, act }) => (
                // Runs after the menu has returned the focus, which would otherwise leave a field.
                <DropdownMenu.Item key={label} onSelect={() => setTimeout(act)}>
                  {label}
                </DropdownMenu.Item>
              ))}
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
