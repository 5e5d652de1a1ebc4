import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  basisText,
  CHOICE_NAMES,
  choiceChange,
  choiceOfUrl,
  EXAMPLE_CHOICE,
  noChoice,
  refusalOf,
  rocQuery,
} from '../../renderer/data/rocChoice.ts';
import { effectsOf, flipsText } from '../../renderer/widgets/roc/effectsModel.ts';
import { rocCommand, trainerOverrides } from '../../renderer/widgets/roc/exportModel.ts';
import { RELEASE_DEFAULTS, withOverride } from '../../shared/domain/downSampling.ts';
import { basisFor, EXAMPLE } from './rocSides.ts';

const read = (query: string) => choiceOfUrl(new URLSearchParams(query));

describe('a what-if in the URL', () => {
  it('is absent if nothing is named, even with an open panel', () => {
    expect(read('whatif=group&sort=-reward')).toMatchObject({
      whatIf: undefined,
      chosen: [],
      scope: 'group',
    });
    expect(read('').basis).toEqual({});
  });

  it('is parsed setting by setting', () => {
    const { whatIf, chosen } = read(
      'if.rule=paper&if.penalty=typed&if.pool=24&if.down_sample_to_n=8&if.roc_error_ratio=false',
    );
    expect(whatIf).toEqual({
      ...{ rule: 'paper', penalty: 'typed', groupSize: 24 },
      settings: { down_sample_to_n: 8, roc_error_ratio: false },
    });
    expect(chosen).toEqual(['rule', 'penalty', 'pool', 'roc_error_ratio', 'down_sample_to_n']);
  });

  it('keeps the chosen configuration for unnamed settings', () => {
    const { basis, whatIf } = read('basis=example&if.down_sample_to_n=8');
    expect(basis).toEqual(EXAMPLE_CHOICE);
    expect(whatIf).toEqual({
      rule: 'release',
      settings: { ...EXAMPLE_CHOICE.settings, down_sample_to_n: 8 },
    });
  });

  it('reports invalid parts, and sends no request with them', () => {
    const { whatIf, unreadable } = read('if.world_size=0&if.rule=best&if.pool=-3&if.paper_epsilon=x');
    expect(whatIf).toBeUndefined();
    expect(unreadable).toEqual(['rule=best', 'pool=-3', 'world_size=0', 'paper_epsilon=x']);
    expect(refusalOf('world_size', '0')).toBe('a whole number of 1 or more');
  });

  it('is removed from the URL when it equals the basis', () => {
    const basis = basisFor(EXAMPLE);
    expect(choiceChange(basis, 'down_sample_to_n', '8')).toEqual({ 'if.down_sample_to_n': '8' });
    expect(choiceChange(basis, 'down_sample_to_n', '16')).toEqual({ 'if.down_sample_to_n': undefined });
    expect(Object.keys(noChoice())).toHaveLength(CHOICE_NAMES.length);
  });

  it('brings any whole number through the address', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 500 }), (n) => {
        const query = new URLSearchParams();
        for (const [name, text] of Object.entries(
          choiceChange(basisFor(EXAMPLE), 'down_sample_to_n', String(n)),
        ))
          if (text !== undefined) query.set(name, text);
        expect(choiceOfUrl(query).whatIf?.settings?.down_sample_to_n ?? 16).toBe(n);
      }),
    );
  });

  it('is passed on from a report to its groups only', () => {
    const query = new URLSearchParams('of=x&sort=a&if.rule=paper&basis=example&whatif=run&class=negatives');
    expect(rocQuery(query)).toBe('?if.rule=paper&basis=example&whatif=run');
    expect(rocQuery(new URLSearchParams('of=x'))).toBe('');
  });

  it('writes every setting so that it parses', () => {
    const basis = basisFor(EXAMPLE);
    for (const name of CHOICE_NAMES) {
      if (name === 'pool') continue;
      expect(refusalOf(name, basisText(basis, name)), name).toBeUndefined();
    }
  });
});

describe('copied settings', () => {
  it('are the trainer’s own keys, with unsupported settings listed beside them', () => {
    const { text, notes } = trainerOverrides({
      ...basisFor({ ...EXAMPLE, world_size: 8, length_weight: 0.5 }, 'paper', 'typed'),
      groupSize: 24,
    });
    expect(text).toContain('augmentation.down_sampling_config.down_sample_to_n=16');
    expect(text).toContain('augmentation.do_down_sampling=True');
    expect(text).toContain('actor_rollout_ref.rollout.n=24');
    expect(text).not.toMatch(/world_size|length_weight/);
    expect(notes).toEqual([
      'The released trainer has no paper rule: these settings run the release’s.',
      'The trainer penalises by its own rules on the text, regardless of the choice here.',
      'world_size=8 is trainer.nnodes × trainer.n_gpus_per_node there.',
      'length_weight=0.5: the trainer has no such setting.',
    ]);
    expect(trainerOverrides(basisFor(EXAMPLE)).notes).toEqual([]);
  });

  it('are a command that gives the same settings again', () => {
    const { text } = rocCommand(basisFor(EXAMPLE, 'release', 'typed'), {
      ...{ library: '/data/my runs/l.sqlite', runKey: "it's", step: 3 },
    });
    expect(text).toMatch(
      /^npm run -s turnwise -- roc --library '\/data\/my runs\/l\.sqlite' --run 'it'\\''s' --step 3 --rule release --penalty typed /,
    );
    const sets = [...text.matchAll(/--set (\S+)/g)].map(([, override = '']) => override);
    expect(sets.reduce(withOverride, RELEASE_DEFAULTS)).toEqual(EXAMPLE);
  });
});

describe('effects', () => {
  it('leave unknown values of a side blank', () => {
    const [kept, , penalty, length] = effectsOf({ kept: 16, meanResponseChars: 1200 }, undefined);
    expect(kept).toMatchObject({ before: '16', after: '', isChanged: true });
    expect(penalty).toMatchObject({ before: '', after: '', isChanged: false });
    expect(length).toMatchObject({ label: 'characters', before: '1,200' });
  });

  it('compare tokens only if both sides have them', () => {
    const labels = (before: object, after: object) => effectsOf(before, after).map(({ label }) => label);
    expect(labels({ meanPolicyTokens: 3 }, { meanPolicyTokens: 4 })).toContain('tokens');
    expect(labels({ meanPolicyTokens: 3 }, { meanResponseChars: 4 })).toContain('characters');
  });

  it('count flips both ways', () => {
    expect(flipsText(0, 0, 0)).toBe('No decision flips.');
    expect(flipsText(3, 1, 2)).toBe('3 decisions flip: 1 more kept, 2 more discarded.');
  });
});
