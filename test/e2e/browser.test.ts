import { browserShell } from '../support/shells/browserShell.ts';
import { describeRoc } from './roc.ts';
import { describeSources } from './sources.ts';
import { describeStatistics } from './statistics.ts';
import { describeApplication } from './suite.ts';
import { describeTokens } from './tokens.ts';

describeApplication(browserShell);
describeSources(browserShell);
describeRoc(browserShell);
describeStatistics(browserShell);
describeTokens(browserShell);
