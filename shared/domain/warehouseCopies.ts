/** The directory beside a library that holds what was copied from warehouses. */
export const COPIES = 'from-warehouse';

/** Whether a path is below the copies of any library. A directory that was moved keeps their names. */
export const isCopyOfWarehouse = (path: string): boolean => path.split(/[\\/]/).slice(0, -1).includes(COPIES);
