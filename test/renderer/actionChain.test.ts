import { describe, expect, it } from 'vitest';
import { ActionChain } from '../../renderer/views/replay/labels/actionChain.ts';

interface Actions {
  readonly label: (key: string) => Promise<void>;
  readonly next: () => Promise<void>;
}

/** A queue of rollouts that shows the next one after a delay. */
function reader(delay: () => Promise<void>) {
  const chain = new ActionChain<Actions>();
  const said: string[] = [];
  const show = (rolloutId: number) =>
    chain.show({
      rolloutId,
      actions: {
        label: async (key) => {
          await delay();
          said.push(`${rolloutId}: ${key}`);
        },
        next: async () => {
          void delay().then(() => show(rolloutId + 1));
          await chain.shown(rolloutId + 1);
        },
      },
    });
  show(1);
  return { chain, said };
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await Promise.resolve();
};

describe('keys of labelling', () => {
  it('typed ahead apply to the rollouts they were meant for', async () => {
    const { chain, said } = reader(() => turns(7));
    for (const key of ['a', 'b', 'c']) {
      chain.run((actions) => actions.label(key));
      chain.run((actions) => actions.next());
    }
    expect(chain.isIdle).toBe(false);
    await turns(500);
    expect(said).toEqual(['1: a', '2: b', '3: c']);
    expect(chain.isIdle).toBe(true);
  });

  it('are dropped if one fails to load, and continue after it', async () => {
    const { chain, said } = reader(() => turns(1));
    chain.run(() => {
      chain.giveUp();
      throw new Error('gone');
    });
    chain.run((actions) => actions.label('lost'));
    await turns(50);
    chain.run((actions) => actions.label('kept'));
    await turns(50);
    expect(said).toEqual(['1: kept']);
  });

  it('do nothing without a replay', async () => {
    const { chain, said } = reader(() => turns(1));
    chain.show(undefined);
    chain.run((actions) => actions.label('a'));
    await turns(50);
    expect(said).toEqual([]);
  });
});
