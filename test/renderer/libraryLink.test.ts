import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isOfHere } from '../../renderer/data/followHost.ts';
import {
  copiedLink,
  hrefInLibrary,
  pastedLink,
  pathInLibrary,
  resolvedHref,
  splitLibrary,
} from '../../renderer/data/libraryLink.ts';
import { requestKey } from '../../renderer/data/useRequest.ts';
import {
  cameFrom,
  enterLibrary,
  listPosition,
  queryLeftAt,
  rememberListPosition,
  rememberQuery,
} from '../../renderer/state/routeMemory.ts';

afterEach(() => enterLibrary(undefined));

describe('the library of a link', () => {
  it('prefixes the path, except for the home library', () => {
    expect(pathInLibrary('home', '/run/a?x=1')).toBe('/run/a?x=1');
    expect(pathInLibrary('june', '/run/a?x=1')).toBe('/in/june/run/a?x=1');
    expect(pathInLibrary('june', '/')).toBe('/in/june');
    expect(pathInLibrary('june', '/?filter=x')).toBe('/in/june?filter=x');
    expect(splitLibrary('/in/june')).toEqual({ library: 'june', path: '/' });
    expect(splitLibrary('/run/in/june')).toEqual({ library: 'home', path: '/run/in/june' });
  });

  it('survives a round trip, for any name and path', () => {
    const segment = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }).map(encodeURIComponent);
    const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }), path, (library, within) => {
        fc.pre(!within.startsWith('/in/'));
        const [pathname = ''] = pathInLibrary(library, within).split('?');
        expect(splitLibrary(pathname)).toEqual({ library, path: within });
      }),
      { seed: 7 },
    );
  });

  it('is the current one, unless the link names another', () => {
    expect(resolvedHref('june', '/sql?q=1')).toBe('/in/june/sql?q=1');
    expect(resolvedHref('home', '/sql?q=1')).toBe('/sql?q=1');
    expect(resolvedHref('june', hrefInLibrary('home', '/run/a?tab=x'))).toBe('/run/a?tab=x');
    expect(resolvedHref('june', hrefInLibrary('july', '/run/a'))).toBe('/in/july/run/a');
    expect(resolvedHref('home', hrefInLibrary('july', '/'))).toBe('/in/july');
    expect(resolvedHref('june', '/in/home')).toBe('/');
    expect(resolvedHref('june', 'https://example.org/')).toBe('https://example.org/');
  });

  it('typed by hand, and no name at all, is a path like any other', () => {
    expect(splitLibrary('/in/%E0%A4%A')).toEqual({ library: 'home', path: '/in/%E0%A4%A' });
    expect(splitLibrary('/in/')).toEqual({ library: 'home', path: '/in/' });
  });
});

describe('a copied link', () => {
  const PLACE = '/in/june/run/a%2Fb/step/3?q=reward%3A0';

  it('is a URL in the browser, without its token, and a path on the desktop', () => {
    expect(copiedLink(new URL(`http://127.0.0.1:7777${PLACE}#token=secret`), false)).toBe(
      `http://127.0.0.1:7777${PLACE}`,
    );
    expect(copiedLink(new URL(`app://bundle${PLACE}`), true)).toBe(PLACE);
  });

  it('is read from either, in the library that has its name, else in the present one', () => {
    for (const copied of [PLACE, ` http://127.0.0.1:7777${PLACE}\n`, `http://localhost:1${PLACE}#token=x`]) {
      expect(pastedLink(copied, ['home', 'june'])).toBe(PLACE);
      expect(pastedLink(copied, ['home'])).toBe('/run/a%2Fb/step/3?q=reward%3A0');
    }
    expect(pastedLink('/in/home/sql?q=1', ['home'])).toBe('/sql?q=1');
  });

  it.each(['', '/', 'run', '/no such', '//evil/run/a', 'https://127.0.0.1/run/a', 'http://a.example/run/a'])(
    'is not %j',
    (text) => expect(pastedLink(text, ['home'])).toBeUndefined(),
  );
});

describe('state remembered by path', () => {
  it('is separate in another library', () => {
    rememberQuery('/run/a', '?sort=-reward');
    rememberListPosition('runs', { scrollTop: 120, cursor: 4 });
    enterLibrary('june');
    expect(queryLeftAt('/run/a')).toBe('');
    expect(listPosition('runs').cursor).toBe(0);
    rememberQuery('/run/a', '?tab=recipe');
    rememberQuery('/compare', '?with=b');
    expect(cameFrom('/compare')).toBe('/run/a?tab=recipe');
    // The visit to this library began elsewhere, so back stops at its beginning.
    expect(cameFrom('/run/a')).toBeUndefined();
    enterLibrary(undefined);
    expect(queryLeftAt('/run/a')).toBe('?sort=-reward');
    expect(listPosition('runs').cursor).toBe(4);
  });
});

describe('answers of another library', () => {
  it('are separate, and events of this one do not affect them', () => {
    expect(isOfHere(requestKey('run.list', {}, undefined))).toBe(true);
    expect(isOfHere(requestKey('run.list', {}, 'june'))).toBe(false);
    expect(requestKey('run.list', {}, 'june')).not.toEqual(requestKey('run.list', {}, undefined));
  });
});
