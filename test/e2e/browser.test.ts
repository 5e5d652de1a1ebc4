import { browserShell } from '../support/shells/browserShell.ts';
import { describeSources } from './sources.ts';
import { describeApplication } from './suite.ts';

describeApplication(browserShell);
describeSources(browserShell);
