/** The user's key bindings, by command id. A command that is not listed has its default keys. */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

interface KeyBindings {
  readonly bindings: Readonly<Record<string, readonly string[]>>;
  /** An empty list removes the command's keys. */
  readonly bind: (commandId: string, keys: readonly string[]) => void;
  readonly unbind: (commandId: string) => void;
  readonly unbindAll: () => void;
}

export const useKeyBindings = create<KeyBindings>()(
  persist(
    (set) => ({
      bindings: {},
      bind: (commandId, keys) => set(({ bindings }) => ({ bindings: { ...bindings, [commandId]: keys } })),
      unbind: (commandId) =>
        set(({ bindings }) => {
          const { [commandId]: _, ...others } = bindings;
          return { bindings: others };
        }),
      unbindAll: () => set({ bindings: {} }),
    }),
    remembered<KeyBindings>('turnwise.keys', { bindings: z.record(z.string(), z.array(z.string())) }),
  ),
);
