import type { RefObject } from 'react';
import type { StepSchedule } from '../../../../shared/api/contract.ts';
import { ChartMenu, chartFileName } from '../overview/ChartMenu.tsx';
import type { SchedulePicture } from './paintSchedule.ts';
import { scheduleCsv, schedulePng } from './scheduleFile.ts';
import type { Span } from './scheduleModel.ts';

interface ScheduleMenuProps {
  /** Which run and step, under which filter. */
  readonly of: string;
  readonly schedule: StepSchedule;
  readonly span: Span;
  /** Of the timeline on the page. */
  readonly picture: RefObject<SchedulePicture | null>;
}

/** The timeline as PNG and CSV. */
export function ScheduleMenu({ of, schedule, span, picture }: ScheduleMenuProps) {
  return (
    <ChartMenu
      title="Timeline"
      fileName={chartFileName(of, 'schedule')}
      png={() =>
        picture.current === null
          ? Promise.reject(new Error('nothing is drawn yet'))
          : schedulePng(of, picture.current)
      }
      csv={() => scheduleCsv(of, schedule, span)}
      provenance="logged"
    />
  );
}
