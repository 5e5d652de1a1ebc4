import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeApplication } from './suite.ts';

describeApplication(electronDoubleShell);
