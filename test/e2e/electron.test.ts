import { test } from 'vitest';
import { findElectronShell } from '../support/shells/electronShell.ts';
import { describeCompare } from './compare.ts';
import { describeDebugger } from './debugger.ts';
import { describeFilter } from './filter.ts';
import { describeKeys } from './keys.ts';
import { describeLabels } from './labels.ts';
import { describeLibraries } from './libraries.ts';
import { describeOverview, describeOverviewFiles } from './overview.ts';
import { describeProblems } from './problems.ts';
import { describeRoc } from './roc.ts';
import { describeSchedule } from './schedule.ts';
import { describeSearch } from './search.ts';
import { describeSources } from './sources.ts';
import { describeSql } from './sql.ts';
import { describeStatistics } from './statistics.ts';
import { describeApplication } from './suite.ts';
import { describeTables } from './tables.ts';
import { describeTokens } from './tokens.ts';

const found = findElectronShell();
if ('reason' in found) {
  // The closing line of the run repeats the reason; see test/support/closingLine.ts.
  test.skip(found.reason);
} else {
  describeApplication(found);
  describeSources(found);
  describeRoc(found);
  describeStatistics(found);
  describeFilter(found);
  describeTables(found);
  describeSql(found);
  describeProblems(found);
  describeSchedule(found);
  describeKeys(found);
  describeSearch(found);
  describeCompare(found);
  describeTokens(found);
  describeDebugger(found);
  describeOverview(found);
  describeOverviewFiles(found);
  describeLibraries(found);
  describeLabels(found);
}
