import type { GroupRule } from '../../shared/format/format.ts';

/** How rollouts came together, as the interface says it. */
export const GROUP_RULES: Readonly<Record<GroupRule, { readonly short: string; readonly words: string }>> = {
  logged: { short: 'group: logged id', words: 'by the id the log gives' },
  prompt: { short: 'group: equal prompt', words: 'by equal prompt' },
  order: { short: 'group: by order', words: 'by their order in the log' },
};
