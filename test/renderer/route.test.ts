import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parentRoute, parseRoute, pathOfRoute } from '../../renderer/data/route.ts';
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
  ])('reads %s', (path, route) => {
    expect(parseRoute(path)).toEqual(route);
    expect(pathOfRoute(parseRoute(path))).toBe(path);
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
    expect(parseRoute(path)).toEqual({ view: 'nowhere', path });
  });

  it.each(['..', '.', '../../evil', 'a/./b', '~', '~d', '~td', 'notes.txt', 'a.json'])(
    'brings %s through a path that neither a browser nor the server takes for another',
    (key) => {
      const route = { view: 'group', runKey: key, step: 1, groupKey: key } as const;
      const path = pathOfRoute(route);
      expect(parseRoute(new URL(path, 'http://host').pathname)).toEqual(route);
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
          const route = { view: 'rollout', runKey, step, groupKey, ordinal } as const;
          expect(parseRoute(pathOfRoute(route))).toEqual(route);
        },
      ),
    );
  });

  it('goes up from a report to its scope', () => {
    expect(parentRoute(parseRoute('/run/a/roc'))).toEqual({ view: 'run', runKey: 'a' });
    expect(parentRoute(parseRoute('/run/a/step/5/roc'))).toEqual({ view: 'step', runKey: 'a', step: 5 });
    expect(parentRoute(parseRoute('/run/a/tokens'))).toEqual({ view: 'run', runKey: 'a' });
    expect(parentRoute(parseRoute('/run/a/step/5/tokens'))).toEqual({ view: 'step', runKey: 'a', step: 5 });
  });

  it('climbs to the library', () => {
    const names: string[] = [];
    let route = parentRoute(parseRoute('/run/a/step/5/group/g/rollout/3'));
    while (route !== undefined) {
      names.push(route.view);
      route = parentRoute(route);
    }
    expect(names).toEqual(['group', 'step', 'run', 'library']);
  });
});
