import { configure } from '@testing-library/react';

// The default of one second is too short for a busy machine.
configure({ asyncUtilTimeout: 20_000 });
