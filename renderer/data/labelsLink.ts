/** URLs of the labels page and of review queues. */
export const LABEL_TABS = ['read', 'annotations', 'report', 'agreement', 'conflicts', 'taxonomy'] as const;
export type LabelTab = (typeof LABEL_TABS)[number];

export interface LabelsLink {
  readonly tab?: LabelTab;
  /** Absent: all runs. */
  readonly runKey?: string | undefined;
  /** In the filter language. */
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
 * A review queue as part of a replay's URL: `?queue=…`, whose value is a query of its own. The host determines its
 * rollouts (`label.queue`).
 */
export const QUEUE_ORDERS = ['listed', 'random', 'stratified', 'disagreement'] as const;
export type QueueOrder = (typeof QUEUE_ORDERS)[number];

export interface QueueLink {
  /** Absent: all runs. */
  readonly runKey?: string;
  readonly filter: string;
  readonly order: QueueOrder;
  readonly seed: number;
  /** Hides reward, correctness, kept status and other readers' annotations. */
  readonly isBlind: boolean;
  /** Includes rollouts that the reader has already reviewed. */
  readonly includesRead: boolean;
  /** Selected by hand. The ids are valid only until the library is rebuilt. */
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
  // An empty value would mean that there is no queue.
  return params.size === 0 ? 'on' : params.toString();
}

/** Undefined: there is no queue. Invalid parts are ignored. */
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
