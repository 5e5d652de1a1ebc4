import { browserShell } from '../support/shells/browserShell.ts';
import { describeApplication } from './suite.ts';

describeApplication(browserShell);
