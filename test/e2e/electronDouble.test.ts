import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeSources } from './sources.ts';
import { describeApplication } from './suite.ts';

describeApplication(electronDoubleShell);
describeSources(electronDoubleShell);
