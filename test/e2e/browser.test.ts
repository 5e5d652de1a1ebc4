import { browserShell } from '../support/shells/browserShell.ts';
import { describeCompare } from './compare.ts';
import { describeDebugger } from './debugger.ts';
import { describeFilter } from './filter.ts';
import { describeRoc } from './roc.ts';
import { describeSources } from './sources.ts';
import { describeStatistics } from './statistics.ts';
import { describeApplication } from './suite.ts';
import { describeTokens } from './tokens.ts';

describeApplication(browserShell);
describeSources(browserShell);
describeRoc(browserShell);
describeStatistics(browserShell);
describeFilter(browserShell);
describeCompare(browserShell);
describeTokens(browserShell);
describeDebugger(browserShell);
