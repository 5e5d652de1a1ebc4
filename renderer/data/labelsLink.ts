/** The page of labels and the review queues as links. */
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

/**
 * What is to be read one after the other, as part of the URL of a replay: `?queue=…`, whose value is a query of its
 * own. Which rollouts these are is the host's answer (`label.queue`).
 */
export const QUEUE_ORDERS = ['listed', 'random', 'stratified', 'disagreement'] as const;
export type QueueOrder = (typeof QUEUE_ORDERS)[number];

export interface QueueLink {
  /** Absent: over all runs. */
  readonly runKey?: string;
  readonly filter: string;
  readonly order: QueueOrder;
  readonly seed: number;
  /** Reward, correctness, what was kept, and what other readers said are not shown. */
  readonly isBlind: boolean;
  /** Include rollouts I have already reviewed. */
  readonly includesRead: boolean;
  /** Picked by hand; they count only as long as the library is what it was. */
  readonly rolloutIds?: readonly number[];
}

export const PLAIN_QUEUE: QueueLink = {
  filter: '',
  order: 'listed',
  seed: 0,
  isBlind: false,
  includesRead: false,
};

export function writeQueue(queue: QueueLink): string {
  const params = new URLSearchParams();
  if (queue.runKey !== undefined) params.set('run', queue.runKey);
  if (queue.filter !== '') params.set('filter', queue.filter);
  if (queue.order !== 'listed') params.set('order', queue.order);
  if (queue.seed !== 0) params.set('seed', String(queue.seed));
  if (queue.isBlind) params.set('blind', '1');
  if (queue.includesRead) params.set('all', '1');
  if (queue.rolloutIds !== undefined)
    params.set('ids', queue.rolloutIds.map((id) => id.toString(36)).join('.'));
  // An empty value would be no queue at all.
  return params.size === 0 ? 'on' : params.toString();
}

/** Undefined: there is none. What cannot be read in it counts as not said. */
export function readQueue(text: string | null): QueueLink | undefined {
  if (text === null || text === '') return undefined;
  const params = new URLSearchParams(text);
  const runKey = params.get('run');
  const order = QUEUE_ORDERS.find((one) => one === params.get('order')) ?? 'listed';
  const seed = Number(params.get('seed') ?? '0');
  const ids = params.get('ids');
  const rolloutIds = ids
    ?.split('.')
    .flatMap((one) => (/^[0-9a-z]{1,9}$/.test(one) ? [Number.parseInt(one, 36)] : []));
  return {
    ...(runKey === null ? {} : { runKey }),
    filter: params.get('filter') ?? '',
    order,
    seed: Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff ? seed : 0,
    isBlind: params.get('blind') === '1',
    includesRead: params.get('all') === '1',
    ...(rolloutIds === undefined ? {} : { rolloutIds }),
  };
}
