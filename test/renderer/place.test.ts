import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parentPlace, parsePlace, pathOfPlace } from '../../renderer/data/place.ts';
import { bundleFile } from '../../shared/api/bundle.ts';

describe('routes', () => {
  it.each([
    ['/', { view: 'library' }],
    ['/issues', { view: 'issues' }],
    ['/run/a', { view: 'run', runKey: 'a' }],
    ['/run/a/step/5', { view: 'step', runKey: 'a', step: 5 }],
    ['/run/a/roc', { view: 'roc', runKey: 'a' }],
    ['/run/a/step/5/roc', { view: 'stepRoc', runKey: 'a', step: 5 }],
    ['/run/a/tokens', { view: 'tokens', runKey: 'a' }],
    ['/run/a/step/5/schedule', { view: 'schedule', runKey: 'a', step: 5 }],
    ['/run/a/step/5/tokens', { view: 'stepTokens', runKey: 'a', step: 5 }],
    ['/run/a/step/5/group/g', { view: 'group', runKey: 'a', step: 5, groupKey: 'g' }],
    [
      '/run/a/step/5/group/g/rollout/31',
      { view: 'rollout', runKey: 'a', step: 5, groupKey: 'g', ordinal: 31 },
    ],
  ])('reads %s', (path, place) => {
    expect(parsePlace(path)).toEqual(place);
    expect(pathOfPlace(parsePlace(path))).toBe(path);
  });

  it.each([
    '/run',
    '/run/a/step',
    '/run/a/step/x',
    '/run/a/step/-1',
    '/run/%E0%A4%A',
    '/run/a/step/1/group',
    '/other',
  ])('finds no route for %s', (path) => {
    expect(parsePlace(path)).toEqual({ view: 'nowhere', path });
  });

  it.each(['..', '.', '../../evil', 'a/./b', '~', '~d', '~td', 'notes.txt', 'a.json'])(
    'brings %s through a path that neither a browser nor the server takes for another',
    (key) => {
      const place = { view: 'group', runKey: key, step: 1, groupKey: key } as const;
      const path = pathOfPlace(place);
      expect(parsePlace(new URL(path, 'http://host').pathname)).toEqual(place);
      expect(bundleFile(path)?.segments).toEqual(['index.html']);
    },
  );

  it('brings any key through a path', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.nat(),
        (runKey, groupKey, step, ordinal) => {
          const place = { view: 'rollout', runKey, step, groupKey, ordinal } as const;
          expect(parsePlace(pathOfPlace(place))).toEqual(place);
        },
      ),
    );
  });

  it('goes up from a report to its scope', () => {
    expect(parentPlace(parsePlace('/run/a/roc'))).toEqual({ view: 'run', runKey: 'a' });
    expect(parentPlace(parsePlace('/run/a/step/5/roc'))).toEqual({ view: 'step', runKey: 'a', step: 5 });
    expect(parentPlace(parsePlace('/run/a/tokens'))).toEqual({ view: 'run', runKey: 'a' });
    expect(parentPlace(parsePlace('/run/a/step/5/tokens'))).toEqual({ view: 'step', runKey: 'a', step: 5 });
  });

  it('climbs to the library', () => {
    const names: string[] = [];
    let place = parentPlace(parsePlace('/run/a/step/5/group/g/rollout/3'));
    while (place !== undefined) {
      names.push(place.view);
      place = parentPlace(place);
    }
    expect(names).toEqual(['group', 'step', 'run', 'library']);
  });
});
