/** Thresholds of detectors that the user changed, by name. */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

interface DetectorThresholds {
  readonly changed: Readonly<Record<string, number>>;
  readonly set: (name: string, value: number) => void;
  readonly reset: (names: readonly string[]) => void;
}

export const useDetectorThresholds = create<DetectorThresholds>()(
  persist(
    (set) => ({
      changed: {},
      set: (name, value) => set(({ changed }) => ({ changed: { ...changed, [name]: value } })),
      reset: (names) =>
        set(({ changed }) => ({
          changed: Object.fromEntries(Object.entries(changed).filter(([name]) => !names.includes(name))),
        })),
    }),
    remembered<DetectorThresholds>('turnwise.detectorThresholds', {
      changed: z.record(z.string(), z.number()),
    }),
  ),
);
