import { describe, expect, it } from 'vitest';
import { correctnessSource } from '../../renderer/data/domainLabels.ts';
import { mappingPath, parentRoute, parseRoute } from '../../renderer/data/route.ts';
import { crumbsOf, windowTitle } from '../../renderer/shell/TopBar.tsx';
import { emptyJobs, jobsToShow, unmappedCards } from '../../renderer/views/library/libraryModel.ts';
import { recordText } from '../../renderer/views/replay/Inspector.tsx';
import { recordPlace } from '../../renderer/views/replay/RawRecord.tsx';
import {
  directoriesOf,
  groupSentence,
  groupsText,
  neighbourPlaces,
  orderEffect,
  usualSize,
} from '../../renderer/views/sources/sourcesModel.ts';
import { readBefore, unreadByWay } from '../../renderer/widgets/UnreadFiles.tsx';
import type { IngestProgress, IssueRow } from '../../shared/api/contract.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';

it('says how much of unread files has been read, as far as it is known', () => {
  const file = { path: '/x', runIds: [], bytes: 1000, records: 0, bytesRead: 0, hasAdapter: false };
  expect(readBefore([file, file])).toBe('2.0 kB to read');
  expect(readBefore([file, { ...file, records: 3, bytesRead: 500 }])).toBe('500 B of 2.0 kB read so far');
  const { bytesRead: _, ...compressed } = file;
  expect(readBefore([{ ...compressed, records: 3 }])).toBe('3 records read so far, of 1.0 kB');
});

it('continues unread files with a button only if they were opened in this session', () => {
  const file = (path: string, hasAdapter = false) => ({ path, runIds: [], bytes: 1, records: 0, hasAdapter });
  const [opened, other, adapted] = [file('/logs/1'), file('/logs-2/1'), file('/logs/2', true)];
  expect(unreadByWay([opened, other, adapted], ['/logs'])).toEqual({
    ...{ opened: [opened], others: [other], adapted: [adapted] },
  });
  expect(['/a/b.sqlite', "/a b/it's"].map(shellWord)).toEqual(['/a/b.sqlite', "'/a b/it'\\''s'"]);
});

describe('sources of a run', () => {
  it('states how its groups were formed', () => {
    expect(groupsText(128, 2_048)).toBe('128 groups of 16 rollouts');
    expect(groupsText(3, 10)).toBe('3 groups, 3.3 rollouts in the mean');
    expect(
      groupSentence([
        { rule: 'logged', groups: 2, rollouts: 8 },
        { rule: 'prompt', groups: 1, rollouts: 1 },
      ]),
    ).toBe('Groups by the logged id: 2 groups of 4 rollouts; by equal prompt: 1 group of 1 rollout.');
    expect(groupSentence([])).toBe('No groups yet.');
  });

  it('previews grouping by every N in order', () => {
    expect(orderEffect(2_048, 16)).toBe('2,048 rollouts make 128 groups of 16 rollouts');
    expect(orderEffect(33, 16)).toBe('33 rollouts make 2 groups of 16 and one of 1');
    expect(orderEffect(1, 16)).toBe('1 rollout makes one group');
    expect(orderEffect(33, 0)).toBe('a whole number of rollouts');
    expect(usualSize([{ rule: 'prompt', groups: 4, rollouts: 32 }])).toBe(8);
    expect(usualSize([])).toBe(16);
  });

  it('collects neighbours by directory, which gets a name', () => {
    const one = {
      runKey: 'a',
      name: 'a',
      kind: 'train',
      format: 'verl',
      directory: '/x',
      rollouts: 1,
    } as const;
    const places = neighbourPlaces([one, { ...one, runKey: 'b' }, { ...one, runKey: 'c', directory: '/y' }]);
    expect(places.map(({ directory, runs }) => `${directory} ${runs.length}`)).toEqual(['/x 2', '/y 1']);
  });

  it('lists each directory once', () => {
    const file = {
      fileId: 1,
      container: 'plain',
      unit: 'line',
      bytes: 1,
      rollouts: 1,
      joined: 0,
      waiting: 0,
      masked: 0,
    };
    const paths = ['/x/1.jsonl', '/x/2.jsonl', 'C:\\y\\1.jsonl'];
    expect(directoriesOf(paths.map((path) => ({ ...file, path })))).toEqual(['/x', 'C:\\y']);
  });
});

describe('files no format knew', () => {
  const job: IngestProgress = {
    ...{ jobId: 1, state: 'done', paths: ['/logs'], files: 1, filesDone: 1, bytes: 1, bytesDone: 1 },
    ...{ rollouts: 0, issues: 1, elapsedMs: 1 },
  };
  const issue: IssueRow = {
    ...{ issueId: 1, path: '/logs/odd.jsonl', unit: 'line', records: 1, severity: 'refused' },
    ...{ code: 'unknown_format', message: 'no known format' },
  };

  it('get a card for their latest job until dismissed', () => {
    const later = { ...job, jobId: 2, paths: ['/logs/odd.jsonl'] };
    const cards = unmappedCards([job, later], [issue], new Set());
    expect(cards.map(({ job: { jobId }, files }) => [jobId, files.length])).toEqual([[2, 1]]);
    expect(unmappedCards([job, later], [issue], new Set([2]))).toEqual([]);
    expect(unmappedCards([{ ...job, paths: ['/other'] }], [issue], new Set())).toEqual([]);
  });

  it('a job that read nothing is not shown once a later one has read its file', () => {
    const refused = { ...job, jobId: 1, rollouts: 0, issues: 1, paths: ['/logs/'] };
    const mapped = { ...job, jobId: 2, rollouts: 3, issues: 0, paths: ['/logs/answers.jsonl'] };
    expect(emptyJobs([refused], [], new Set())).toEqual([refused]);
    expect(emptyJobs([refused, mapped], [], new Set())).toEqual([]);
    expect(emptyJobs([refused, { ...mapped, paths: ['/logs2/a'] }], [], new Set())).toEqual([refused]);
    expect(emptyJobs([mapped, refused], [], new Set())).toEqual([refused]);
  });

  it('do not show a dismissed failed job', () => {
    const failed = { ...job, state: 'failed' } as const;
    expect(jobsToShow([failed], new Set([1]))).toEqual([]);
    expect(jobsToShow([failed, job])).toEqual([failed]);
  });

  it('are mapped at a URL of their own', () => {
    expect(mappingPath('/a b/c&d.jsonl')).toBe('/mapping?path=%2Fa%20b%2Fc%26d.jsonl');
    expect(parseRoute('/mapping')).toEqual({ view: 'mapping' });
    expect(parseRoute('/formats')).toEqual({ view: 'formats' });
  });
});

describe('a log without steps', () => {
  const group = { view: 'group', runKey: 'r', step: 0, groupKey: 'g' } as const;

  it('has no step in its path', () => {
    expect(crumbsOf(group, { run: 'run' }, false).map(({ label }) => label)).toEqual(['Library', 'run', 'g']);
    expect(parentRoute(group, false)).toEqual({ view: 'run', runKey: 'r' });
    expect(parentRoute(group)).toEqual({ view: 'step', runKey: 'r', step: 0 });
  });
});

it('shows hidden characters of names in the title of the window', () => {
  const group = { view: 'group', runKey: 'r', step: 0, groupKey: 'a\u0007b' } as const;
  expect(windowTitle(crumbsOf(group, { run: 'run\u202elive' }))).toBe(
    'a␇b · step 0 · run⟨RLO⟩live · Turnwise',
  );
});

describe('small truths', () => {
  it('names the source of correctness', () => {
    expect(correctnessSource({ isCorrect: true, correctSource: 'derived' })).toBe(
      'derived: answer equals ground truth',
    );
    expect(correctnessSource({ isCorrect: false, correctSource: 'logged' })).toBe('logged');
    expect(correctnessSource({ isCorrect: true, reward: 1 })).toBe('by the reward');
    expect(correctnessSource({ reward: 1 })).toBeUndefined();
  });

  it('counts records as their file does', () => {
    const at = { path: '/x/a.jsonl', line: 1_200 };
    expect(recordPlace(at)).toBe('/x/a.jsonl, line 1,200');
    expect(recordPlace({ ...at, unit: 'row', isRewritten: true })).toBe('row 1,200 of /x/a.jsonl, as JSON');
    expect(recordPlace({ ...at, unit: 'member' })).toBe('member 1,200 of /x/a.jsonl');
    expect(recordPlace({ ...at, unit: 'member', name: 'samples/a_epoch_1.json', isRewritten: true })).toBe(
      'samples/a_epoch_1.json in /x/a.jsonl',
    );
    expect(recordPlace({ ...at, unit: 'output line' })).toBe(
      'line 1,200 of what an adapter wrote for /x/a.jsonl',
    );
    expect(recordPlace({ ...at, unit: 'element' })).toBe('record 1,200 of /x/a.jsonl');
    expect([recordText('line', 3), recordText('row', 3)]).toEqual(['line 3', 'row 3']);
  });
});

it('names a rule that it does not know, of a library from somebody else', () => {
  const groups = [{ rule: 'by moon', groups: 2, rollouts: 8 }] as never;
  expect(groupSentence(groups)).toBe(
    'Groups by a rule that this Turnwise does not know: 2 groups of 4 rollouts.',
  );
});
