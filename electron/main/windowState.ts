/** Restores the window's position. Displays may change between starts, so the saved state is checked again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rectangle } from 'electron';
import { z } from 'zod';
import { printProblem } from '../host/printProblem.ts';

export interface WindowState {
  readonly bounds?: Rectangle;
  readonly isMaximized: boolean;
}

export const DEFAULT_SIZE = { width: 1440, height: 900 } as const;
export const MINIMUM_SIZE = { width: 720, height: 480 } as const;

const DEFAULT_STATE: WindowState = { isMaximized: false };

const pixels = z.int();
const savedState = z.object({
  bounds: z.object({ x: pixels, y: pixels, width: pixels, height: pixels }),
  isMaximized: z.boolean(),
});

/** Part of the title bar that must be on a display, so that the user can move the window. */
const MIN_VISIBLE = { width: 120, height: 32 } as const;

function isWithinReach({ x, y, width }: Rectangle, area: Rectangle): boolean {
  const visibleWidth = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  const isTopVisible = y >= area.y && y + MIN_VISIBLE.height <= area.y + area.height;
  return visibleWidth >= MIN_VISIBLE.width && isTopVisible;
}

/** The part of a saved state that is valid for these displays. The system decides the rest. */
export function restorableState(saved: unknown, workAreas: readonly Rectangle[]): WindowState {
  const parsed = savedState.safeParse(saved);
  if (!parsed.success) return DEFAULT_STATE;
  const { bounds, isMaximized } = parsed.data;
  const isLarge = bounds.width >= MINIMUM_SIZE.width && bounds.height >= MINIMUM_SIZE.height;
  const isReachable = isLarge && workAreas.some((area) => isWithinReach(bounds, area));
  return isReachable ? { bounds, isMaximized } : { isMaximized };
}

export function readWindowState(path: string, workAreas: readonly Rectangle[]): WindowState {
  try {
    return restorableState(JSON.parse(readFileSync(path, 'utf8')), workAreas);
  } catch {
    return DEFAULT_STATE; // the first start, or a truncated file
  }
}

export function writeWindowState(path: string, state: Required<WindowState>): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(state), { mode: 0o600 });
  } catch (error) {
    // Failing to save must not prevent the window from closing.
    printProblem(`the window position could not be saved: ${String(error)}`);
  }
}
