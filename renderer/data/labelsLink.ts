/** The page of labels as a link: which part of it, of which run, under which filter. */
export const LABEL_TABS = ['read', 'annotations', 'report', 'agreement', 'conflicts', 'taxonomy'] as const;
export type LabelTab = (typeof LABEL_TABS)[number];

export interface LabelsLink {
  readonly tab?: LabelTab;
  /** Absent: all runs. */
  readonly runKey?: string | undefined;
  /** In the filter language, as everywhere under `q`. */
  readonly filter?: string;
}

export function labelsPath({ tab, runKey, filter }: LabelsLink): string {
  const params = new URLSearchParams();
  if (tab !== undefined) params.set('tab', tab);
  if (runKey !== undefined) params.set('run', runKey);
  if (filter !== undefined && filter !== '') params.set('q', filter);
  return params.size === 0 ? '/labels' : `/labels?${params}`;
}

export const tabOf = (text: string | null): LabelTab => LABEL_TABS.find((tab) => tab === text) ?? 'read';
