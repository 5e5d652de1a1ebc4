import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeCompare } from './compare.ts';
import { describeDebugger } from './debugger.ts';
import { describeFilter } from './filter.ts';
import { describeRoc } from './roc.ts';
import { describeSources } from './sources.ts';
import { describeStatistics } from './statistics.ts';
import { describeApplication } from './suite.ts';
import { describeTokens } from './tokens.ts';

describeApplication(electronDoubleShell);
describeSources(electronDoubleShell);
describeRoc(electronDoubleShell);
describeStatistics(electronDoubleShell);
describeFilter(electronDoubleShell);
describeCompare(electronDoubleShell);
describeTokens(electronDoubleShell);
describeDebugger(electronDoubleShell);
