import { browserShell } from '../support/shells/browserShell.ts';
import { describeRoc } from './roc.ts';
import { describeSources } from './sources.ts';
import { describeApplication } from './suite.ts';

describeApplication(browserShell);
describeSources(browserShell);
describeRoc(browserShell);
